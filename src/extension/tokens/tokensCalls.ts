import * as v from 'valibot';
import { TOKENS_ACTIONS, type TokensHostApi } from '../../protocol/api/tokens';
import { guardCall, type PageCall } from '../webviews/guardCall';
import { TOKENS_NAVIGATION } from './tokensNavigation';

/** The calls that the Tokens view's page may make, by name; each is refused unless its arguments are what the types say. */
export function createTokensCalls(host: TokensHostApi): ReadonlyMap<string, PageCall> {
  const calls: Readonly<Record<keyof TokensHostApi, PageCall>> = {
    ready: guardCall(v.tuple([]), () => host.ready()),
    navigated: guardCall(v.tuple([TOKENS_NAVIGATION]), (navigation) => {
      host.navigated(navigation);
    }),
    act: guardCall(v.tuple([v.picklist(TOKENS_ACTIONS)]), (action) => host.act(action)),
  };
  return new Map(Object.entries(calls));
}
