import type { Random } from './random';
import { assistant, call, chainRow, lastPrompt, prompt, reply, result, type RowFields } from './transcriptBuilder';

/** The share of each step. */
const STEPS = [
  ...['call', 'call', 'call', 'call', 'call', 'call'],
  ...['result', 'result', 'result', 'result', 'result', 'result', 'result', 'result'],
  ...['reply', 'reply', 'prompt', 'prompt', 'empty', 'duration'],
  ...['thinking', 'blank', 'attachment', 'error', 'virtual', 'companion', 'companion', 'output'],
] as const;

/**
 * A line of rows whose calls and results are in any order: results before their call, behind another message or twice, messages
 * that continue after others, calls without a result, and between them notes, what calls add to their results, outputs of commands, errors
 * of the API, and replies that are empty, blank, virtual or only thinking. Usually two turns follow in which nothing is odd. With branches, a row in four continues any earlier one; with attachments,
 * a row in three is one.
 */
export function randomCalls(random: Random, { branches = false, attachments = false } = {}): RowFields[] {
  const rows: RowFields[] = [prompt('start', null)];
  let parent = 'start';
  let calls = 0;
  const add = (make: (name: string, parent: string) => RowFields): void => {
    const name = `row${rows.length}`;
    const isBranch = branches && rows.length > 1 && random.chance(0.25);
    rows.push(make(name, isBranch ? `row${1 + random.below(rows.length - 1)}` : parent));
    parent = name;
  };
  /** A few messages, so that rows of one are often separated. */
  const message = (): string => `msg_${random.pick(['a', 'b', 'c'])}`;
  for (let left = 4 + random.below(10); left > 0; left--) {
    const step = attachments && random.chance(0.3) ? 'attachment' : random.pick(STEPS);
    const says = (content: readonly object[], fields: RowFields = {}): void => {
      add((name, above) => assistant(name, above, content, fields, message()));
    };
    const text = `row ${rows.length}`;
    switch (step) {
      case 'call': {
        const id = random.chance(0.9) ? `toolu_${calls++}` : `toolu_${random.below(calls + 2)}`;
        add((name, above) =>
          random.chance(0.05)
            ? call(name, above, id, { isVirtual: true })
            : call(name, above, id, { message: message() }),
        );
        break;
      }
      case 'result':
        add((name, above) => result(name, above, `toolu_${random.below(calls + 2)}`));
        break;
      case 'prompt':
        add((name, above) => prompt(name, above, { isMeta: random.chance(0.2) }));
        break;
      case 'companion':
        add((name, above) => prompt(name, above, random.pick<RowFields>(COMPANIONS)));
        break;
      case 'output':
        add((name, above) => chainRow('system', name, above, { subtype: 'local_command', content: OUTPUT }));
        break;
      case 'duration':
        add((name, above) => chainRow('system', name, above, { subtype: 'turn_duration', durationMs: 5 }));
        break;
      case 'attachment':
        add((name, above) => chainRow('attachment', name, above, random.pick<RowFields>(ATTACHMENTS)));
        break;
      case 'error':
        add((name, above) => apiError(name, above));
        break;
      case 'reply':
        says([{ type: 'text', text: `reply ${text}` }]);
        break;
      case 'virtual':
        add((name, above) => reply(name, above, { isVirtual: true }));
        break;
      case 'empty':
        says([]);
        break;
      case 'blank':
        says([{ type: 'text', text: '\n\n' }]);
        break;
      case 'thinking':
        says([{ type: 'thinking', thinking: 'about it', signature: 'c2ln' }]);
    }
  }
  if (random.chance(0.6)) {
    for (let turn = 0; turn < 2; turn++) {
      add((name, above) => prompt(name, above));
      add((name, above) => reply(name, above));
    }
  }
  return random.chance(0.5) ? [...rows, lastPrompt(parent)] : rows;
}

const FEEDBACK = { role: 'user', content: 'Stop hook feedback:\n- not yet' };
const COMPANIONS = [
  { isMeta: true, sourceToolUseID: 'toolu_0' },
  { sourceToolUseID: 'toolu_1' },
  { turnCompanion: true },
  { isMeta: true, message: FEEDBACK },
] as const;
const OUTPUT = '<local-command-stdout>done</local-command-stdout>';
const DATE = { type: 'date', date: '2026-11-22' };
const HOOK = { type: 'hook_success', hookName: 'Stop', hookEvent: 'Stop', toolUseID: 'hook', content: '' };

const REMINDER = [{ content: '<system-reminder>\nIt rains.\n</system-reminder>' }];

/** The client sends every other one. */
const ATTACHMENTS = [
  { attachment: HOOK },
  { attachment: DATE },
  { attachment: { type: 'unknown' } },
  { attachment: { type: 'unknown' }, rendered: REMINDER },
  { attachment: HOOK },
  { attachment: DATE, rendered: REMINDER, renderedRole: 'system' },
  { attachment: { type: 'unknown' } },
  { attachment: DATE, rendered: REMINDER, renderedRole: 'user' },
] as const;

function apiError(name: string, parent: string): RowFields {
  const row = assistant(name, parent, [{ type: 'text', text: 'API Error: 500' }], { isApiErrorMessage: true });
  return { ...row, message: { ...(row['message'] as object), model: '<synthetic>' } };
}
