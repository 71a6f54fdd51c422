import { type ToolCalls, type ToolFigures, type ToolRange, USAGE_RANGES } from '../../protocol/usage';
import type { Pacer } from '../util/scheduling';
import { NO_TIME, quarterOf } from './buckets';
import { addDays, type LocalDays, RANGE_DAYS } from './describeReport';
import { compareTexts } from './spendingTable';
import { CALL_WORDS, CallWord, mergeCall } from './toolCalls';

export interface ToolQuestion {
  readonly calendar: LocalDays;
  /** Milliseconds since the epoch. */
  readonly nowMs: number;
}

/** Nobody reads more bars than these. */
const MAX_LISTED = 20;
/** How many calls are added between two checks of the clock. */
const ADDED_AT_ONCE = 5000;
const STEPS = USAGE_RANGES.length;
/** Calls, failed calls, characters. */
const SUMS = 3;

/**
 * The tools by range, those with the most calls first. A call counts once, however many transcripts contain it.
 *
 * @param transcripts the calls of each transcript, with the positions of their names in `names`
 */
export async function describeTools(
  transcripts: Iterable<Uint32Array>,
  names: readonly string[],
  { calendar, nowMs }: ToolQuestion,
  pacer: Pacer,
): Promise<readonly ToolRange[]> {
  const calls = new UniqueCalls();
  for (const words of transcripts) {
    for (let at = 0; at < words.length; at += CALL_WORDS * ADDED_AT_ONCE) {
      calls.add(words.subarray(at, at + CALL_WORDS * ADDED_AT_ONCE));
      await pacer.yieldIfDue();
    }
  }
  const stepOf = stepsOf(calendar, nowMs);
  const sums = new Float64Array((names.length + 1) * STEPS * SUMS);
  calls.forEach((words, at) => {
    const place = ((words[at + CallWord.name] ?? 0) * STEPS + stepOf((words[at + CallWord.quarter] ?? 0) | 0)) * SUMS;
    sums[place] = (sums[place] ?? 0) + 1;
    sums[place + 1] = (sums[place + 1] ?? 0) + (words[at + CallWord.failed] ?? 0);
    sums[place + 2] = (sums[place + 2] ?? 0) + (words[at + CallWord.characters] ?? 0);
  });
  return USAGE_RANGES.map((range, lastStep): ToolRange => {
    const figuresOf = (name: number): ToolFigures => {
      const figures = { calls: 0, failed: 0, resultCharacters: 0 };
      for (let step = 0; step <= lastStep; step++) {
        const place = (name * STEPS + step) * SUMS;
        figures.calls += sums[place] ?? 0;
        figures.failed += sums[place + 1] ?? 0;
        figures.resultCharacters += sums[place + 2] ?? 0;
      }
      return figures;
    };
    const named = names
      .map((name, at): ToolCalls => ({ name, ...figuresOf(at + 1) }))
      .filter((tool) => tool.calls > 0)
      .sort((a, b) => b.calls - a.calls || compareTexts(a.name, b.name));
    const nameless = figuresOf(0);
    // One tool above the limit takes no more space than a bar for the rest.
    const limit = nameless.calls === 0 && named.length === MAX_LISTED + 1 ? named.length : MAX_LISTED;
    const others = named.slice(limit).reduce<ToolFigures>(addUp, nameless);
    return { range, tools: named.slice(0, limit), others: others.calls === 0 ? null : others };
  });
}

function addUp(one: ToolFigures, other: ToolFigures): ToolFigures {
  return {
    calls: one.calls + other.calls,
    failed: one.failed + other.failed,
    resultCharacters: one.resultCharacters + other.resultCharacters,
  };
}

/** The first range to which each quarter belongs. */
function stepsOf(calendar: LocalDays, nowMs: number): (quarter: number) => number {
  const today = calendar.dayOf(quarterOf(nowMs));
  const end = calendar.startOf(addDays(today, 1));
  // The last range has all calls.
  const starts = USAGE_RANGES.slice(0, -1).map((range) => calendar.startOf(addDays(today, 1 - RANGE_DAYS[range])));
  return (quarter) => {
    if (quarter === NO_TIME || quarter >= end) return STEPS - 1;
    const step = starts.findIndex((start) => quarter >= start);
    return step < 0 ? STEPS - 1 : step;
  };
}

const FIRST_SLOTS = 4096;
/** Share of filled slots above which the table grows. */
const MAX_LOAD = 0.5;

/** Calls, in which each id occurs once: a hash table of their words. */
class UniqueCalls {
  #words = new Uint32Array(FIRST_SLOTS * CALL_WORDS);
  #count = 0;
  /** Call + 1, or 0 for a free slot. */
  #slots = new Int32Array(FIRST_SLOTS);

  add(words: Uint32Array): void {
    for (let at = 0; at < words.length; at += CALL_WORDS) {
      const [low, high] = [words[at + CallWord.low] ?? 0, words[at + CallWord.high] ?? 0];
      if ((this.#count + 1) * CALL_WORDS > this.#words.length || this.#count >= this.#slots.length * MAX_LOAD)
        this.#grow();
      const slot = low === 0 && high === 0 ? -1 : this.#find(low, high);
      const known = (this.#slots[slot] ?? 0) - 1;
      if (known >= 0) {
        mergeCall(this.#words, known * CALL_WORDS, words, at);
        continue;
      }
      this.#words.set(words.subarray(at, at + CALL_WORDS), this.#count * CALL_WORDS);
      this.#count++;
      if (slot >= 0) this.#slots[slot] = this.#count;
    }
  }

  forEach(visit: (words: Uint32Array, at: number) => void): void {
    for (let call = 0; call < this.#count; call++) visit(this.#words, call * CALL_WORDS);
  }

  #find(low: number, high: number): number {
    const mask = this.#slots.length - 1;
    let slot = (low ^ Math.imul(high, 0x9e3779b1)) & mask;
    for (let known = (this.#slots[slot] ?? 0) - 1; known >= 0; known = (this.#slots[slot] ?? 0) - 1) {
      const at = known * CALL_WORDS;
      if (this.#words[at + CallWord.low] === low && this.#words[at + CallWord.high] === high) return slot;
      slot = (slot + 1) & mask;
    }
    return slot;
  }

  #grow(): void {
    const words = new Uint32Array(this.#words.length * 2);
    words.set(this.#words);
    this.#words = words;
    this.#slots = new Int32Array(this.#slots.length * 2);
    for (let call = 0; call < this.#count; call++) {
      const [low, high] = [words[call * CALL_WORDS + CallWord.low] ?? 0, words[call * CALL_WORDS + CallWord.high] ?? 0];
      if (low !== 0 || high !== 0) this.#slots[this.#find(low, high)] = call + 1;
    }
  }
}
