import * as v from 'valibot';
import { TOKENS_CHARTS, TOKENS_MEASURES, type TokensNavigation } from '../../protocol/api/tokens';
import { USAGE_RANGES } from '../../protocol/usage';

export const TOKENS_NAVIGATION = v.object({
  range: v.picklist(USAGE_RANGES),
  measure: v.picklist(TOKENS_MEASURES),
  tables: v.pipe(v.array(v.picklist(TOKENS_CHARTS)), v.maxLength(TOKENS_CHARTS.length)),
});

const FIRST: TokensNavigation = { range: 'week', measure: 'cost', tables: [] };

/** Where the view begins: as the person left it, where VS Code has kept that. */
export function readTokensNavigation(state: unknown): TokensNavigation {
  const kept = v.safeParse(TOKENS_NAVIGATION, state);
  return kept.success ? kept.output : FIRST;
}
