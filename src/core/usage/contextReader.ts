import { GrowingResume } from '../resume/growingResume';
import { simulateResume } from '../resume/simulateResume';
import { NO_ID } from '../scan/idTable';
import { RowFlag, RowKind } from '../scan/rowFlags';
import type { TranscriptFacts } from '../scan/transcriptFacts';
import type { UsageTable } from '../scan/usageTable';
import { SYNTHETIC_MODEL } from './modelName';
import type { MessageCounts } from './usageMessage';
import { countsOf } from './messageReader';

/** The newest answer on the chain that a resume loads. */
export interface NewestAnswer {
  readonly model: string | null;
  readonly counts: MessageCounts;
}

/** Finds the newest answer, also as the transcript grows: then at the cost of what was appended, as a rule. */
export class ContextReader {
  #growing: GrowingResume | null = null;
  #rowsRead = 0;
  /** Its last row; `NO_ID` when there is none. */
  #answer: number = NO_ID;

  /** `isGrown`: the facts are those of the last call, with more rows. */
  read(facts: TranscriptFacts, isGrown: boolean): NewestAnswer | null {
    const grown = isGrown ? (this.#growing?.grow(facts) ?? null) : null;
    if (grown === null) this.#simulate(facts);
    else {
      for (let row = this.#rowsRead; row < facts.rows.count; row++) if (entryOf(facts, row) >= 0) this.#answer = row;
    }
    this.#rowsRead = facts.rows.count;
    const entry = this.#answer === NO_ID ? -1 : entryOf(facts, this.#answer);
    if (facts.usage === null || entry < 0) return null;
    return { model: facts.usage.model(entry), counts: countsOf(facts.usage, entry) };
  }

  #simulate(facts: TranscriptFacts): void {
    const resume = simulateResume(facts);
    this.#growing = GrowingResume.from(facts, resume);
    // Answers that a compaction preserved had the prompt of before.
    const boundary = facts.boundaries.at(-1)?.row ?? -1;
    const first = resume.history.some((row) => row >= boundary) ? boundary : -1;
    this.#answer = resume.history.findLast((row) => row > first && entryOf(facts, row) >= 0) ?? NO_ID;
  }
}

/** The usage of the message that the row is of; -1 when it is no answer of a model. */
function entryOf({ rows, usage }: TranscriptFacts, row: number): number {
  if (usage === null || rows.kind(row) !== RowKind.assistant || rows.has(row, RowFlag.apiError)) return -1;
  const entry = findEntry(usage, row, rows.message(row));
  return entry >= 0 && usage.model(entry) === SYNTHETIC_MODEL ? -1 : entry;
}

/** From the end: who asks wants one of the last. */
function findEntry(usage: UsageTable, row: number, message: number): number {
  for (let entry = usage.count - 1; entry >= 0; entry--) {
    if (message === NO_ID ? usage.row(entry) === row : usage.message(entry) === message) return entry;
  }
  return -1;
}
