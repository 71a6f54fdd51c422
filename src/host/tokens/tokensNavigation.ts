import * as v from 'valibot';
import type { TokensNavigation } from '../../shared/api/tokens';
import { TOKENS_CHARTS, TOKENS_MEASURES } from '../../shared/api/tokens';
import { USAGE_RANGES } from '../../shared/usage';

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
