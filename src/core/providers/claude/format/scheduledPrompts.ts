import { isJsonObject, type JsonObject, objectField, stringField } from '../../../util/json';

/** A prompt that Claude asked the client to run later. (docs/format.md, "Scheduled prompts") */
export interface ScheduledPrompt {
  /** Id by which the client knows it. */
  readonly id: string;
  /** Five fields, in local time. */
  readonly cron: string;
  readonly prompt: string;
  /** When it was made, in milliseconds since the epoch; NaN if unknown. */
  readonly createdMs: number;
  /** Otherwise it runs once. */
  readonly isRecurring: boolean;
  /** A recurring prompt ends at this age; 0 for never, null for the client's default. */
  readonly maxAgeMs: number | null;
  /** The client's words for `cron`; null if it gave none. */
  readonly schedule: string | null;
  /** When it runs next, as the client said when it was made; null if it did not. Milliseconds since the epoch. */
  readonly nextMs: number | null;
}

/** Searched in a row's bytes: a row without any of them does not schedule, or end, a prompt. */
export const SCHEDULE_NEEDLES = ['CronCreate"', 'CronDelete"', '"session_cron_carry"'] as const;

const MAX_DELAY_MS = 8.64e15;

/** Collects the scheduled prompts of a history, whose rows are added in their order. */
export class ScheduledPrompts {
  readonly #calls = new Map<string, { readonly cron: string; readonly prompt: string; readonly createdMs: number }>();
  readonly #made: ScheduledPrompt[] = [];
  readonly #ended = new Set<string>();
  #carried: readonly ScheduledPrompt[] = [];

  /** `timeMs`: of the row. A row of any type may be added. */
  add(row: JsonObject, timeMs: number): void {
    switch (row['type']) {
      case 'assistant':
        this.#addCalls(row, timeMs);
        break;
      case 'user':
        this.#addResults(row);
        break;
      case 'attachment':
        this.#addCarried(row);
        break;
    }
  }

  /** Those that were not ended, oldest first. A prompt that is stored in the project's own file does not belong to a session. */
  all(): readonly ScheduledPrompt[] {
    const byId = new Map([...this.#made, ...this.#carried].map((each) => [each.id, each] as const));
    return [...byId.values()].filter(({ id }) => !this.#ended.has(id));
  }

  #addCalls(row: JsonObject, createdMs: number): void {
    for (const block of blocksOf(row, 'tool_use')) {
      const input = objectField(block, 'input') ?? {};
      const callId = stringField(block, 'id');
      const name = stringField(block, 'name');
      if (name === 'CronDelete') {
        const id = stringField(input, 'id');
        if (id !== null) this.#ended.add(id);
      }
      const [cron, prompt] = [stringField(input, 'cron'), stringField(input, 'prompt')];
      if (name !== 'CronCreate' || callId === null || cron === null || prompt === null) continue;
      this.#calls.set(callId, { cron, prompt, createdMs });
    }
  }

  #addResults(row: JsonObject): void {
    const result = objectField(row, 'toolUseResult');
    const id = result === null ? null : stringField(result, 'id');
    if (result === null || id === null || result['durable'] === true) return;
    for (const block of blocksOf(row, 'tool_result')) {
      const call = this.#calls.get(stringField(block, 'tool_use_id') ?? '');
      if (call === undefined || block['is_error'] === true) continue;
      this.#made.push({
        ...{ id, ...call },
        isRecurring: result['recurring'] !== false,
        maxAgeMs: durationField(result, 'maxAgeMs'),
        schedule: stringField(result, 'humanSchedule'),
        nextMs: durationField(result, 'nextFireAt'),
      });
    }
  }

  /** A compaction notes what was scheduled before it. The last note counts. */
  #addCarried(row: JsonObject): void {
    const attachment = objectField(row, 'attachment');
    if (attachment?.['type'] !== 'session_cron_carry') return;
    const { tasks, ended } = attachment;
    for (const id of Array.isArray(ended) ? (ended as readonly unknown[]) : []) {
      if (typeof id === 'string') this.#ended.add(id);
    }
    if (!Array.isArray(tasks)) return;
    this.#carried = (tasks as readonly unknown[]).flatMap((task) =>
      isJsonObject(task) ? (carriedTask(task) ?? []) : [],
    );
  }
}

function carriedTask(task: JsonObject): ScheduledPrompt | null {
  const [id, cron, prompt] = [stringField(task, 'id'), stringField(task, 'cron'), stringField(task, 'prompt')];
  const createdMs = durationField(task, 'createdAt');
  if (id === null || id === '' || cron === null || prompt === null || createdMs === null) return null;
  const isRecurring = task['recurring'] === true;
  const maxAgeMs = durationField(task, 'maxAgeMs');
  return { id, cron, prompt, createdMs, isRecurring, maxAgeMs, schedule: null, nextMs: null };
}

function blocksOf(row: JsonObject, type: string): readonly JsonObject[] {
  const content = objectField(row, 'message')?.['content'];
  if (!Array.isArray(content)) return [];
  return (content as readonly unknown[]).filter(isJsonObject).filter((block) => block['type'] === type);
}

function durationField(object: JsonObject, field: string): number | null {
  const value = object[field];
  return typeof value === 'number' && value >= 0 && value <= MAX_DELAY_MS ? value : null;
}
