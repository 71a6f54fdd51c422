import * as v from 'valibot';
import { type TokensNavigation, tokensViewSchemas } from '../../protocol/channels/tokensView';

const FIRST: TokensNavigation = { range: 'week', measure: 'cost', tables: [] };

/** The initial state of the view: as the person left it, if VS Code kept that. */
export function readTokensNavigation(state: unknown): TokensNavigation {
  const kept = v.safeParse(tokensViewSchemas.NAVIGATION, state);
  return kept.success ? kept.output : FIRST;
}
