import type { ClientTally, ContextSize, CostFigure, ModelSpending, SessionUsage, Spending } from '../../shared/usage';
import type { NewestAnswer } from './contextReader';
import { contextWindow, toUsd, type PriceBook } from './priceBook';
import { NO_TIME } from './quarters';
import { compareSpending, compareTexts } from './spendingOrder';
import { SpendingTable } from './spendingTable';
import { LONG_PROMPT_TOKENS, type MessageCounts } from './usageMessage';
import type { LedgerSession } from './ledgerFiles';
import type { UsageLedger } from './usageLedger';

const OWN = 0;
const SUBAGENTS = 1;
const TOTAL = 2;
const SHARED = 3;
const ROWS = 4;

/** What the messages of a session used. */
export interface SessionSpending {
  readonly own: Spending;
  readonly subagents: Spending;
  readonly total: Spending;
  readonly shared: Spending;
  readonly models: readonly ModelSpending[];
}

/** Each message of the session once; see docs/tokens.md, "A session". */
export function describeSpending(ledger: UsageLedger, session: LedgerSession, prices: PriceBook): SessionSpending {
  const table = new SpendingTable(ROWS);
  const rowOfModel = new Map<string | null, number>();
  ledger.forEachMessage(session, (message) => {
    const { model, quarter, isLong, isOwn, isShared } = message;
    const price = prices.of(model)?.at(quarter, isLong) ?? null;
    let row = rowOfModel.get(model);
    if (row === undefined) rowOfModel.set(model, (row = table.addRow()));
    table.add(isOwn ? OWN : SUBAGENTS, 1, message, price);
    table.add(row, 1, message, price);
    if (isShared) table.add(SHARED, 1, message, price);
  });
  for (const part of [OWN, SUBAGENTS]) table.addFrom(TOTAL, part);
  return {
    own: table.spending(OWN),
    subagents: table.spending(SUBAGENTS),
    total: table.spending(TOTAL),
    shared: table.spending(SHARED),
    models: Array.from(rowOfModel, ([model, row]): ModelSpending => ({
      model,
      hasPrice: prices.hasPrice(model),
      ...table.spending(row),
    })).sort((a, b) => compareSpending(a, b) || compareTexts(a.model ?? '', b.model ?? '')),
  };
}

export interface SessionParts {
  readonly filePath: string;
  readonly sessionId: string;
  readonly spending: SessionSpending;
  readonly answer: NewestAnswer | null;
  readonly clientTally: ClientTally | null;
}

export function describeSessionUsage(parts: SessionParts, prices: PriceBook): SessionUsage {
  const { filePath, sessionId, spending, answer, clientTally } = parts;
  return {
    filePath,
    sessionId,
    ...spending,
    context: answer === null ? null : contextOf(answer),
    resumeCost: answer === null ? null : resumeCostOf(answer, prices),
    clientTally,
  };
}

function contextOf({ model, counts }: NewestAnswer): ContextSize {
  const tokens = contextTokens(counts);
  return { tokens, model, window: contextWindow(model, tokens) };
}

/** The next request repeats the prompt of the newest answer, and the answer. */
function contextTokens({ input, writes, reads, output }: MessageCounts): number {
  return input + writes + reads + output;
}

/** All of the context is written to the cache anew, for as long as the newest answer was kept. */
function resumeCostOf({ model, counts }: NewestAnswer, prices: PriceBook): CostFigure {
  const tokens = contextTokens(counts);
  const price = prices.of(model)?.at(NO_TIME, tokens > LONG_PROMPT_TOKENS) ?? null;
  if (price === null) return { usd: null, unpricedTokens: tokens };
  const isKeptForAnHour = counts.writes1h * 2 > counts.writes;
  return { usd: toUsd(tokens * (isKeptForAnHour ? price.cacheWrite1h : price.cacheWrite5m)), unpricedTokens: 0 };
}
