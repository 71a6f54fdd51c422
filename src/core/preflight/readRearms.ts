import type { Rearm } from '../../protocol/preflight';
import { type ScheduledPrompt, SCHEDULE_NEEDLES, ScheduledPrompts } from '../providers/claude/format/scheduledPrompts';
import { isAtLeast } from '../providers/claude/loader/rules';
import { RowFlag, RowKind } from '../transcript/rowFlags';
import type { TranscriptRows } from '../transcript/transcriptRows';
import type { Pacer } from '../util/scheduling';

export interface RearmQuestion {
  /** Version of the client that resumes. */
  readonly client: string;
  readonly pacer: Pacer;
  /** Milliseconds since the epoch. */
  readonly nowMs: number;
}

/** The oldest client that was seen to do this. Nothing is claimed of older ones. */
const FIRST_CLIENT = '2.1.250';
/** It knows neither an age of its own for each prompt nor the notes of compactions; of later ones, 2.1.330 was seen to know both. */
const LAST_SIMPLE_CLIENT = '2.1.250';
const DAY_MS = 24 * 60 * 60_000;
/** A recurring prompt ends at this age if nothing else was said, and at the latest. */
const DEFAULT_AGE_MS = 7 * DAY_MS;
const MAX_AGE_MS = 30 * DAY_MS;
/** Longer rows are skipped: no client writes such a long call. */
const MAX_ROW_BYTES = 4 * 1024 * 1024;
const MAX_PROMPT_CHARACTERS = 80;

/**
 * What a client starts again by itself when it resumes a history: the prompts that Claude scheduled in it, unless they were ended or
 * have expired. It restarts neither commands in the background, monitors nor subagents, and only a background job has its wake-ups
 * again. (docs/format.md, "Scheduled prompts")
 */
export async function readRearms(
  rows: TranscriptRows,
  history: Iterable<number>,
  { client, pacer, nowMs }: RearmQuestion,
): Promise<readonly Rearm[]> {
  if (!isAtLeast(client, FIRST_CLIENT)) return [];
  const isSimple = isAtLeast(LAST_SIMPLE_CLIENT, client);
  const { table } = rows;
  const scheduled = new ScheduledPrompts();
  const calls = new Set<number>();
  for (const row of history) {
    const kind = table.kind(row);
    const isResult = kind === RowKind.user && table.toolResults(row).some((key) => calls.has(key));
    const mayCall = kind === RowKind.assistant && table.has(row, RowFlag.hasToolUse);
    const mayBeNote = kind === RowKind.attachment && !isSimple;
    if (!isResult && !((mayCall || mayBeNote) && hasNeedle(rows, row))) continue;
    const object = rows.object(row);
    if (object === null) continue;
    if (mayCall) for (const key of table.toolUses(row)) calls.add(key);
    scheduled.add(object, table.timeMs(row));
    const turn = pacer.yieldIfDue();
    if (turn !== null) await turn;
  }
  return scheduled
    .all()
    .filter((each) => isRearmed(isSimple ? { ...each, maxAgeMs: null } : each, nowMs))
    .map(({ id, isRecurring, prompt, schedule, cron }) => ({
      kind: isRecurring ? 'loop' : 'once',
      id,
      what: beginningOf(prompt),
      when: schedule ?? cron,
    }));
}

function hasNeedle(rows: TranscriptRows, row: number): boolean {
  const bytes = rows.bytes(row, MAX_ROW_BYTES);
  return SCHEDULE_NEEDLES.some((needle) => bytes.includes(needle));
}

function isRearmed({ isRecurring, cron, createdMs, maxAgeMs, nextMs }: ScheduledPrompt, nowMs: number): boolean {
  if (isRecurring) return nowMs - createdMs < Math.min((maxAgeMs ?? DEFAULT_AGE_MS) || Infinity, MAX_AGE_MS);
  return (nextMs ?? firstTime(cron, createdMs) ?? -Infinity) >= nowMs;
}

function beginningOf(prompt: string): string {
  const text = prompt.replace(/\s+/g, ' ').trim();
  return text.length <= MAX_PROMPT_CHARACTERS ? text : `${text.slice(0, MAX_PROMPT_CHARACTERS - 1).trimEnd()}…`;
}

const MINUTE_MS = 60_000;
/** The numbers that each field of a cron expression may have. */
const RANGES = [
  [0, 59],
  [0, 23],
  [1, 31],
  [1, 12],
  [0, 7],
] as const;
/** A day of February that is a certain weekday comes within this time. */
const MAX_DAYS = 12 * 366;

/** The first minute after a time that a cron expression names, in local time; null if it is not valid, or names none. */
function firstTime(cron: string, afterMs: number): number | null {
  const texts = cron.trim().split(/\s+/);
  const fields = RANGES.map(([low, high], at) => numbersOf(texts[at] ?? '', low, high));
  const [minutes, hours, days, months, weekdays] = fields;
  if (texts.length !== RANGES.length || Number.isNaN(afterMs)) return null;
  if (!minutes || !hours || !days || !months || !weekdays) return null;
  const isAnyDay = texts[2] === '*';
  const isAnyWeekday = texts[4] === '*';
  const start = new Date(afterMs + MINUTE_MS);
  start.setSeconds(0, 0);
  for (let at = 0; at < MAX_DAYS; at++) {
    const day = new Date(start.getFullYear(), start.getMonth(), start.getDate() + at);
    if (!months.has(day.getMonth() + 1)) continue;
    const isDay = days.has(day.getDate());
    const isWeekday = weekdays.has(day.getDay()) || (day.getDay() === 0 && weekdays.has(7));
    // If both are limited, one of them is enough.
    if (!(isAnyDay || isAnyWeekday ? isDay && isWeekday : isDay || isWeekday)) continue;
    for (let minute = 0; minute < 24 * 60; minute++) {
      if (!hours.has(Math.floor(minute / 60)) || !minutes.has(minute % 60)) continue;
      const time = new Date(day.getFullYear(), day.getMonth(), day.getDate(), 0, minute);
      if (time >= start) return time.getTime();
    }
  }
  return null;
}

/** The numbers that a field such as `1,5-9,20-50/10` names; null if it is not valid. */
function numbersOf(field: string, low: number, high: number): ReadonlySet<number> | null {
  const numbers = new Set<number>();
  for (const part of field.split(',')) {
    const [, all, first, last, step] = /^(?:(\*)|(\d{1,2})(?:-(\d{1,2}))?)(?:\/(\d{1,2}))?$/.exec(part) ?? [];
    if (all === undefined && first === undefined) return null;
    const from = all === undefined ? Number(first) : low;
    const to = all !== undefined ? high : last !== undefined ? Number(last) : step === undefined ? from : high;
    const by = Number(step ?? 1);
    if (from < low || to > high || from > to || by < 1) return null;
    for (let number = from; number <= to; number += by) numbers.add(number);
  }
  return numbers;
}
