import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { assertNoFaults } from '../support/assertNoFaults';
import { faultsOfCheck } from '../support/faultsOfCheck';
import {
  assistant,
  call,
  chainRow,
  lastPrompt,
  prompt,
  reply,
  result,
  type RowFields,
  timeOf,
  transcript,
} from '../support/transcriptBuilder';
import { useResumeChecks } from '../support/useResumeChecks';
import type { WorkingCopy } from '../support/workingCopies';

const search = (id: string): object => ({ type: 'server_tool_use', id, name: 'web_search', input: { query: id } });
const found = (id: string): object => ({
  type: 'web_search_tool_result',
  tool_use_id: id,
  content: [{ type: 'web_search_result', url: `https://example.test/${id}`, title: id, encrypted_content: 'abc' }],
});
const text = (of: string): object => ({ type: 'text', text: of });
const hook = (name: string, parent: string, id: string): RowFields[] => [
  chainRow('progress', `${name}-progress`, parent, {
    data: { type: 'hook_progress', hookEvent: 'Stop', hookName: 'Stop', command: 'true' },
    toolUseID: id,
    parentToolUseID: id,
  }),
  chainRow('system', name, `${name}-progress`, {
    subtype: 'stop_hook_summary',
    hookCount: 1,
    hookInfos: [{ command: 'true' }],
    hookErrors: [],
    preventedContinuation: false,
    stopReason: '',
    hasOutput: false,
    level: 'suggestion',
    toolUseID: id,
  }),
];

const TALK = [prompt('p1', null), reply('r1', 'p1'), prompt('p2', 'r1'), reply('r2', 'p2')];
const END = (parent: string): RowFields[] => [prompt('p2', parent), reply('r2', 'p2')];
const virtual = { isVirtual: true };
const withId = (uuid: unknown, parent: unknown): RowFields[] => [
  prompt('p1', null),
  { ...reply('r1', 'p1'), uuid, timestamp: timeOf(1) },
  { ...prompt('p2', null), parentUuid: parent },
  reply('r2', 'p2'),
];

const RING = [prompt('p1', 'r1'), reply('r1', 'p1')];
const note = (name: string, parent: string | null): RowFields =>
  chainRow('attachment', name, parent, { attachment: { type: 'date', date: '2026-06-01' } });

/** A message that goes on behind another one, with an attachment between them, and its results. */
const goesOnBehind = (attachment: object, fields: RowFields = {}): RowFields[] => [
  prompt('p1', null),
  call('a1', 'p1', 'toolu_1', { message: 'a' }),
  chainRow('attachment', 'n1', 'a1', { attachment, ...fields }),
  call('b1', 'n1', 'toolu_2', { message: 'b' }),
  result('o2', 'b1', 'toolu_2'),
  call('a2', 'o2', 'toolu_3', { message: 'a' }),
  result('o1', 'a2', 'toolu_1'),
  result('o3', 'o1', 'toolu_3'),
  reply('r1', 'o3'),
  ...END('r1'),
];
/** The same with the attachment among the first rows of the message. */
const GOES_ON_AFTER_NOTE = [
  prompt('p1', null),
  call('a1', 'p1', 'toolu_1', { message: 'a' }),
  chainRow('attachment', 'n1', 'a1', { attachment: { type: 'date', date: '2026-11-22' } }),
  call('a2', 'n1', 'toolu_2', { message: 'a' }),
  call('b1', 'a2', 'toolu_3', { message: 'b' }),
  result('o3', 'b1', 'toolu_3'),
  call('a3', 'o3', 'toolu_4', { message: 'a' }),
  result('o2', 'a3', 'toolu_2'),
  result('o4', 'o2', 'toolu_4'),
  result('o1', 'o4', 'toolu_1'),
  reply('r1', 'o1'),
  ...END('r1'),
];
const REMINDER = [{ content: '<system-reminder>\nIt rains.\n</system-reminder>' }];

/** A message that goes on behind another one and an attachment. */
const goesOnAround = (attachment: object, fields: RowFields = {}): RowFields[] => [
  prompt('p1', null),
  assistant('a1', 'p1', [text('words a1')], {}, 'a'),
  reply('b1', 'a1'),
  chainRow('attachment', 'n1', 'b1', { attachment, ...fields }),
  call('a2', 'n1', 'toolu_1', { message: 'a' }),
  result('o1', 'a2', 'toolu_1'),
  ...END('o1'),
];
/** A message with a text between its calls, and one more call behind something else. */
const gathered = (between: (parent: string) => RowFields): RowFields[] => [
  prompt('p1', null),
  call('a1', 'p1', 'toolu_1', { message: 'a' }),
  chainRow('attachment', 'n1', 'a1', { attachment: { type: 'unknown' }, rendered: REMINDER }),
  call('a2', 'n1', 'toolu_2', { message: 'a' }),
  result('o1', 'a2', 'toolu_1'),
  result('o2', 'o1', 'toolu_2'),
  between('o2'),
  call('a3', 'x', 'toolu_3', { message: 'a' }),
  result('o3', 'a3', 'toolu_3'),
  ...END('o3'),
];
const API_ERROR: RowFields = { isApiErrorMessage: true, error: 'server_error' };

/** It leads to no message. */
const LOST = chainRow('system', 'notice', 'lost', { subtype: 'informational', content: 'Done.', level: 'info' });
const SIDE = [prompt('p9', null), reply('r9', 'p9', { isSidechain: true })];

/** Shapes that clients rarely write, or that only another program writes. */
const SHAPES: Readonly<Record<string, readonly RowFields[]>> = {
  'a search of the API with its result': [
    prompt('p1', null),
    assistant('s1', 'p1', [search('srvtoolu_1')], {}, 'm1'),
    assistant('f1', 's1', [found('srvtoolu_1')], {}, 'm1'),
    assistant('r1', 'f1', [text('reply r1')], {}, 'm1'),
    ...END('r1'),
  ],
  'a search of the API that was aborted': [
    prompt('p1', null),
    assistant('s1', 'p1', [search('srvtoolu_1')], {}, 'm1'),
    assistant('r1', 's1', [text('reply r1')], {}, 'm1'),
    ...END('r1'),
  ],
  'a search of the API whose result is in another message': [
    prompt('p1', null),
    assistant('s1', 'p1', [search('srvtoolu_1')], {}, 'm1'),
    assistant('f1', 's1', [found('srvtoolu_1')], {}, 'm2'),
    ...END('f1'),
  ],
  'a result of the API without its search': [
    prompt('p1', null),
    assistant('f1', 'p1', [found('srvtoolu_1')], {}, 'm1'),
    ...END('f1'),
  ],
  'a turn that was paused in a search of the API': [
    ...TALK.slice(0, 3),
    assistant('t1', 'p2', [text('let me search')], {}, 'm1'),
    assistant('s1', 't1', [search('srvtoolu_1')], {}, 'm1'),
  ],
  'virtual messages': [...TALK.slice(0, 2), prompt('v1', 'r1', virtual), reply('v2', 'v1', virtual), ...END('v2')],
  'messages whose isVirtual is not a boolean': [
    ...TALK.slice(0, 2),
    prompt('v1', 'r1', { isVirtual: 'yes' }),
    reply('v2', 'v1', { isVirtual: 1 }),
    ...END('v2'),
  ],
  'a virtual call': [
    prompt('p1', null),
    call('c1', 'p1', 'toolu_1', virtual),
    result('o1', 'c1', 'toolu_1'),
    reply('r1', 'o1'),
    ...END('r1'),
  ],
  'a virtual reply at the end': [...TALK.slice(0, 3), reply('v1', 'p2', virtual)],
  'a branch whose content is only strings': [...TALK, assistant('x', 'p1', ['only', 'strings'])],
  'a branch whose content has no type': [...TALK, assistant('x', 'p1', [{ text: 'no type' }])],
  'a branch with the number of a type': [...TALK, assistant('x', 'p1', [{ type: 5, text: 'x' }])],
  'a branch of strings that the last prompt names': [...TALK, assistant('x', 'p1', ['only']), lastPrompt('x')],
  'a branch without content': [...TALK, assistant('x', 'p1', [])],
  'a message without a typed block in the middle': [
    prompt('p1', null),
    assistant('x', 'p1', [{ text: 'no type' }]),
    ...END('x'),
  ],
  'a message that goes on behind an attachment with a text': goesOnBehind({ type: 'unknown' }, { rendered: REMINDER }),
  'a message that goes on behind a date': goesOnBehind({ type: 'date', date: '2026-11-22' }),
  'a message that goes on behind a snapshot of the prompt': goesOnBehind({ type: 'prompt_snapshot', systemPrompt: [] }),
  'a message that goes on behind an attachment of an unknown type': goesOnBehind({ type: 'unknown' }),
  'a message that goes on behind an attachment without texts': goesOnBehind({ type: 'unknown' }, { rendered: [] }),
  'a message that goes on behind another one, with a date among its first rows': GOES_ON_AFTER_NOTE,
  'a message that goes on behind a virtual attachment': goesOnBehind(
    { type: 'unknown' },
    { rendered: REMINDER, isVirtual: true },
  ),
  'a message that goes on behind an attachment with an empty text': goesOnBehind(
    { type: 'unknown' },
    { rendered: [...REMINDER, { content: '' }] },
  ),
  'a message that goes on behind an attachment with texts in blocks': goesOnBehind(
    { type: 'unknown' },
    { rendered: [{ content: [text('It rains.')] }] },
  ),
  'a message that goes on behind a snapshot of the prompt with a text': goesOnBehind(
    { type: 'prompt_snapshot', systemPrompt: [] },
    { rendered: REMINDER },
  ),
  'a message that goes on behind an attachment without a type': goesOnBehind({}, { rendered: REMINDER }),
  'a message that goes on behind the end of the plan mode': goesOnBehind({ type: 'plan_mode_exit', planExists: false }),
  'a message around a text for the system': goesOnAround(
    { type: 'unknown' },
    { rendered: REMINDER, renderedRole: 'system' },
  ),
  'a message around a text for the user': goesOnAround(
    { type: 'date', date: '2026-11-22' },
    { rendered: REMINDER, renderedRole: 'user' },
  ),
  'a message around a date': goesOnAround({ type: 'date', date: '2026-11-22' }),
  'a message around a text of an unknown type': goesOnAround({ type: 'unknown' }, { rendered: REMINDER }),
  'a message with a text between its calls that goes on behind a prompt': gathered((parent) => prompt('x', parent)),
  'a message with a text between its calls that goes on behind the output of a command': gathered((parent) =>
    chainRow('system', 'x', parent, {
      subtype: 'local_command',
      content: '<local-command-stdout>done</local-command-stdout>',
      level: 'info',
    }),
  ),
  'a message with a text between its calls that goes on behind an error': gathered((parent) => {
    const row = assistant('x', parent, [text('API Error: 500')], API_ERROR);
    return { ...row, message: { ...(row['message'] as object), model: '<synthetic>' } };
  }),
  'a message with a text between its calls that goes on behind another reply': gathered((parent) => reply('x', parent)),
  'ids that are numbers': withId(12345, 12345),
  'an id that is true': withId(true, true),
  'a number as an id that a text names': withId(12345, '12345'),
  'the number 0 as an id': withId(0, 0),
  'a call in a row of the user': [
    prompt('p1', null),
    { ...call('c1', 'p1', 'toolu_1'), type: 'user' },
    result('o1', 'c1', 'toolu_1'),
    reply('r1', 'o1'),
    ...END('r1'),
  ],
  'a call in a row of the user without its result': [
    prompt('p1', null),
    { ...call('c1', 'p1', 'toolu_1'), type: 'user' },
    reply('r1', 'c1'),
    ...END('r1'),
  ],
  'a result in a row of the assistant': [
    prompt('p1', null),
    call('c1', 'p1', 'toolu_1'),
    { ...result('o1', 'c1', 'toolu_1'), type: 'assistant' },
    reply('r1', 'o1'),
    ...END('r1'),
  ],
  'a last prompt that names a note in a cycle': [
    prompt('q', null, { timestamp: timeOf(0) }),
    prompt('p1', 'n1', { timestamp: timeOf(0, 1_000) }),
    reply('r1', 'p1', { timestamp: timeOf(1) }),
    chainRow('system', 'n1', 'r1', { subtype: 'turn_duration', durationMs: 1, timestamp: timeOf(1, 1_000) }),
    lastPrompt('n1'),
  ],
  'stop hooks with their progress': [
    prompt('p1', null),
    reply('r1', 'p1'),
    ...hook('h1', 'r1', 'toolu_h1'),
    prompt('p2', 'h1'),
    reply('r2', 'p2'),
    ...hook('h2', 'r2', 'toolu_h2'),
    prompt('p3', 'h2'),
    reply('r3', 'p3'),
  ],
  'a newer reply of a subagent beside the conversation, and a last row that leads nowhere': [...TALK, ...SIDE, LOST],
  'two conversations and a newer reply of a subagent': [...TALK, prompt('p5', null), reply('r5', 'p5'), ...SIDE, LOST],
  'only a reply of a subagent below a prompt': [...SIDE, LOST],
  'only messages in a ring, and an attachment that leads nowhere': [...RING, note('n1', 'gone')],
  'only messages in a ring, an attachment that leads nowhere, and one below it': [
    ...RING,
    note('n1', 'gone'),
    note('n2', 'n1'),
  ],
  'only messages in a ring, and an attachment without a parent': [...RING, note('n1', null)],
  'only messages in a ring, and an attachment shortly after them that leads nowhere': [
    ...RING,
    { ...note('n1', 'gone'), timestamp: timeOf(1, 500) },
  ],
  'only messages in a ring of a subagent, and an attachment that leads nowhere': [
    ...RING.map((row) => ({ ...row, isSidechain: true })),
    note('n1', 'gone'),
  ],
  'only attachments': [note('n1', null), note('n2', 'gone')],
  'a reply of a subagent below the conversation': [...TALK, reply('r9', 'r2', { isSidechain: true }), LOST],
};

describe('The real client resumes a rare shape as predicted', () => {
  const names = Object.keys(SHAPES);
  const check = useResumeChecks(
    names.map((name) => async (folder: string): Promise<WorkingCopy> => {
      const of = join(folder, name.replace(/\W+/g, '-'));
      await mkdir(of, { recursive: true });
      const filePath = join(of, '44444444-4444-4444-8444-444444444444.jsonl');
      await writeFile(filePath, transcript(SHAPES[name] ?? []));
      return { name, filePath, operations: [] };
    }),
  );

  names.forEach((name, at) => {
    it(name, async () => {
      const { copy, check: checked } = await check(at);
      assertNoFaults(copy, faultsOfCheck(checked));
    });
  });
});
