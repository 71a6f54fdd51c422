import assert from 'node:assert/strict';
import { ForkFlow } from '../../../src/extension/history/forkFlow';
import type { CountedInfo } from '../../../src/protocol/channels/sessions';
import { emptySessionInfo } from '../../../src/protocol/sessionInfo';
import type { ConversationHead, ConversationItem, OutlineEntry, RowItem } from '../../../src/protocol/conversation';
import type { ForkOutcome, ForkRequest } from '../../../src/protocol/history';
import { head } from './conversationFakes';
import { type Answers, FakeDialogs } from './dialogFakes';
import { activity, formats, RecordedLog, t } from './fakes';
import type { NamedSession } from '../../../src/extension/sessions/sessionsState';

const FILE = '/c/projects/-src-app/44444444-4444-4444-8444-444444444444.jsonl';
const SESSION: NamedSession = {
  provider: 'claude',
  id: '44444444-4444-4444-8444-444444444444',
  path: FILE,
  title: 'Draw charts',
};
const FORKED: ForkOutcome = {
  kind: 'forked',
  result: { sessionId: 'new', filePath: '/c/projects/-src-app/new.jsonl', parentSessionId: 'old', rowsCopied: 12 },
  title: 'Draw charts (fork)',
  cwd: '/src/app',
  loads: 8,
  of: 8,
  warning: null,
};

/** Eight rows are four messages. */
const COUNTED: CountedInfo = {
  info: {
    ...emptySessionInfo({
      sessionId: 'new',
      filePath: '/new.jsonl',
      cwd: null,
      activity: activity('ended'),
      live: 'not-live',
    }),
    messages: 4,
  },
  remembered: 4,
  hasSummary: false,
  firstPrompt: null,
  lastAnswer: null,
};

function row(line: number, change: Partial<RowItem> = {}): RowItem {
  return {
    kind: 'row',
    line,
    uuid: `uuid of ${line}`,
    role: 'user',
    timeMs: null,
    isLoaded: true,
    isSidechain: false,
    continues: false,
    model: null,
    blocks: [{ kind: 'text', path: '', body: { text: `Prompt ${line}`, more: 0 } }],
    branches: [],
    ...change,
  };
}

const ITEMS: readonly ConversationItem[] = [
  row(1),
  row(2, { role: 'assistant', blocks: [] }),
  row(3),
  row(4, { isSidechain: true }),
  row(5, { uuid: null }),
  { kind: 'break', line: 6, isHealed: false, findings: [] },
];
const OUTLINE: readonly OutlineEntry[] = [
  { index: 0, line: 1, label: 'Prompt 1', timeMs: -60_000, isLoaded: false },
  { index: 2, line: 3, label: 'Prompt 3', timeMs: null, isLoaded: true },
];

function setUp(
  answers: Answers,
  outcome: ForkOutcome = FORKED,
  opened: Partial<ConversationHead> = {},
  taken: readonly string[] = [],
) {
  const dialogs = new FakeDialogs(answers);
  const requests: ForkRequest[] = [];
  const happened: string[] = [];
  let held = 0;
  const flow = new ForkFlow({
    forks: {
      fork: (request) => {
        requests.push(request);
        return Promise.resolve(outcome);
      },
    },
    info: () => Promise.resolve(COUNTED),
    conversations: {
      openConversation: () => Promise.resolve(head(opened)),
      conversationOutline: () => Promise.resolve(OUTLINE),
      indexOfLine: (_path, _view, line) => Promise.resolve(ITEMS.findIndex((item) => item.line === line)),
      conversationItems: (_path, _view, from) =>
        Promise.resolve({ revision: 1, from, items: ITEMS.slice(from, from + 1) }),
    },
    hold: () => {
      held++;
      return { dispose: () => held-- };
    },
    dialogs,
    open: ({ filePath }) => happened.push(`opened ${filePath}`),
    resume: ({ id: sessionId, title }) => {
      happened.push(`resumed ${sessionId}, ${String(title)}`);
      return Promise.resolve();
    },
    titles: () => new Set(taken),
    onForked: () => happened.push('forked'),
    now: () => 0,
    formats,
    log: new RecordedLog(),
    t,
  });
  return { flow, dialogs, requests, happened, held: () => held };
}
const view = { kind: 'chain' } as const;

describe('Forking a session', () => {
  it('offers its end and its prompts, most recent first', async () => {
    const { flow, dialogs, held } = setUp({ choose: [null] });
    await flow.forkSession(SESSION);
    assert.deepEqual(dialogs.lists[0]?.lines, [
      'From the end | Everything that Claude remembers now',
      '[From a prompt]',
      'Prompt 3',
      'Prompt 1 | 1 minute ago · Claude does not remember it now',
    ]);
    assert.equal(held(), 0);
  });

  it('forks from the end under the suggested name, or another', async () => {
    const { flow, dialogs, requests, happened } = setUp({ choose: ['From the end'], enter: [' Another way '] });
    await flow.forkSession(SESSION);
    assert.equal(dialogs.entered[0]?.value, 'Draw charts (fork)');
    assert.deepEqual(requests, [{ session: SESSION, at: null, isBefore: false, title: 'Another way' }]);
    assert.deepEqual(happened, ['forked']);
    assert.deepEqual(dialogs.messages, [
      {
        kind: 'info',
        message: 'Forked “Draw charts”: Claude remembers all 4 messages.',
        buttons: ['Open Conversation', 'Resume in Terminal'],
      },
    ]);
  });

  it('forks before a prompt, or with it', async () => {
    const before = setUp({ choose: ['Prompt 3', 'Before this prompt'], enter: [''] });
    await before.flow.forkSession(SESSION);
    assert.deepEqual(before.requests, [{ session: SESSION, at: 'uuid of 3', isBefore: true, title: null }]);
    const after = setUp({ choose: ['Prompt 1', 'With this prompt'], enter: ['x'] });
    await after.flow.forkSession(SESSION);
    assert.deepEqual(after.requests, [{ session: SESSION, at: 'uuid of 1', isBefore: false, title: 'x' }]);
  });

  it('creates nothing when the person cancels at any step', async () => {
    for (const answers of [
      { choose: [null] },
      { choose: ['Prompt 3', null] },
      { choose: ['Prompt 3', 'With this prompt'], enter: [null] },
    ]) {
      const { flow, requests, held } = setUp(answers);
      await flow.forkSession(SESSION);
      assert.deepEqual([requests.length, held()], [0, 0]);
    }
  });

  it('continues in the panel, or in a terminal', async () => {
    for (const [button, expected] of [
      ['Open Conversation', 'opened /c/projects/-src-app/new.jsonl'],
      ['Resume in Terminal', 'resumed new, Draw charts (fork)'],
    ] as const) {
      const { flow, happened } = setUp({ choose: ['From the end'], enter: ['x'], notify: { Forked: button } });
      await flow.forkSession(SESSION);
      await new Promise((resolve) => setImmediate(resolve));
      assert.deepEqual(happened, ['forked', expected]);
    }
  });

  it('explains why there is no fork, and what a fork lacks', async () => {
    const refused = setUp(
      { choose: ['From the end'], enter: ['x'] },
      { kind: 'refused', reason: 'no-space', problem: 'x' },
    );
    await refused.flow.forkSession(SESSION);
    assert.deepEqual(refused.dialogs.reported, ['There is not enough space left on the disk. No fork was made.']);
    const warned = setUp({ choose: ['From the end'], enter: ['x'] }, { ...FORKED, warning: '2 backups are missing.' });
    await warned.flow.forkSession(SESSION);
    assert.equal(warned.dialogs.reported[0], '2 backups are missing.');
    const unreadable = setUp({}, FORKED, { problem: 'It cannot be read.' });
    await unreadable.flow.forkSession(SESSION);
    assert.deepEqual(unreadable.dialogs.reported, ['It cannot be read.']);
  });
});

describe('Forking from a row', () => {
  it('uses the row, and asks only for a prompt whether the fork should include it', async () => {
    const reply = setUp({});
    await reply.flow.forkFromRow(SESSION, { view, line: 2 });
    assert.deepEqual(reply.requests, [
      { session: SESSION, at: 'uuid of 2', isBefore: false, title: 'Draw charts (fork)' },
    ]);
    const prompt = setUp({ choose: ['Before this prompt'] });
    await prompt.flow.forkFromRow(SESSION, { view, line: 3 });
    assert.equal(prompt.dialogs.lists[0]?.title, 'Fork from “Prompt 3”');
    assert.deepEqual(prompt.requests, [
      { session: SESSION, at: 'uuid of 3', isBefore: true, title: 'Draw charts (fork)' },
    ]);
  });

  it('gives a second fork another name', async () => {
    const { flow, requests } = setUp({}, FORKED, {}, ['Draw charts (fork)', 'Draw charts (fork 2)']);
    await flow.forkFromRow(SESSION, { view, line: 2 });
    assert.equal(requests[0]?.title, 'Draw charts (fork 3)');
  });

  it('refuses a line that is not a row of the session', async () => {
    for (const line of [4, 5, 6]) {
      const { flow, requests, dialogs } = setUp({});
      await flow.forkFromRow(SESSION, { view, line });
      assert.equal(requests.length, 0);
      assert.match(dialogs.reported[0] ?? '', /nothing can be forked from it/);
    }
  });
});
