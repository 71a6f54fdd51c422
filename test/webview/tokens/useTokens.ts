import type { TokensPlace } from '../../../src/protocol/channels/tokensView';
import '../page/fakeTokensApi';
import { type OpenPage, type PageOptions, usePage } from '../usePage';

export interface TokensOptions extends PageOptions {
  /** The side view by default. */
  readonly place?: TokensPlace;
  readonly scenario?: string;
  readonly range?: string;
}

/** Opens the Tokens view, or the page of all tokens, for the tests of the suite that calls it. */
export function useTokens(): (options?: TokensOptions) => Promise<OpenPage> {
  const open = usePage({
    bundle: 'tokens',
    title: 'Tokens',
    host: 'fakeTokensHost',
    viewport: { width: 300, height: 900 },
    ready: '.view',
  });
  return ({ place = 'view', scenario, range, ...options } = {}) =>
    open({
      ...(place === 'page' ? { viewport: { width: 1000, height: 900 } } : { background: 'sideBar' }),
      ...options,
      asked: { place, scenario, range },
    });
}
