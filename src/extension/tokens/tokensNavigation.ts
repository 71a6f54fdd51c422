import * as v from 'valibot';
import { type TokensNavigation, tokensViewSchemas } from '../../protocol/channels/tokensView';

const FIRST: TokensNavigation = { range: 'week', measure: 'cost', tables: [] };

/** Where the view begins: as the person left it, where VS Code has kept that. */
export function readTokensNavigation(state: unknown): TokensNavigation {
  const kept = v.safeParse(tokensViewSchemas.NAVIGATION, state);
  return kept.success ? kept.output : FIRST;
}
