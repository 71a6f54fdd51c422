import assert from 'node:assert/strict';
import { diagnosticsFor } from '../../rooms/diagnose';
import { sessionTooltip, TOOLTIP_COMMANDS } from '../../../src/extension/sessions/sessionTooltip';
import { textWidth, TOOLTIP_LINE_WIDTH } from '../../../src/extension/text/textWidth';
import type { CountedInfo, SessionDetails } from '../../../src/protocol/channels/sessions';
import { emptySessionInfo } from '../../../src/protocol/sessionInfo';
import type { Preflight } from '../../../src/protocol/preflight';
import type { Finding, FindingOffer } from '../../../src/protocol/repair';
import type { ScannedSession } from '../../../src/protocol/session';
import type { SessionUsage } from '../../../src/protocol/usage';
import { activity, formats, session, t } from './fakes';
import { sessionUsage, spending } from './usageFakes';

const NOW_MS = Date.UTC(2026, 10, 1);

const COUNTED: CountedInfo = {
  info: {
    ...emptySessionInfo({
      sessionId: 's',
      filePath: '/s.jsonl',
      cwd: null,
      activity: activity('ended'),
      live: 'not-live',
    }),
    messages: 12,
    turns: 4,
    doing: 'Bash: npm test',
  },
  remembered: 5,
  hasSummary: false,
  firstPrompt: null,
  lastAnswer: null,
};

const PREFLIGHT: Preflight = {
  sessionId: 's',
  filePath: '/s.jsonl',
  client: '2.1.330',
  messages: { loads: 12, of: 12, hasSummary: false },
  tokens: { sent: 84_312, bound: 'about', uncached: 84_312 },
  causes: [{ code: 'cache-expired', lifetime: '5m', ageMs: 3 * 3_600_000, isPartial: false }],
  costUsd: 0.4216,
  model: 'claude-opus-5-5',
  rearms: [],
  changesAtMs: null,
};

function finding(change: Partial<Finding> = {}): Finding {
  return {
    code: 'dangling-parent',
    severity: 'error',
    action: 'auto',
    lines: [33],
    uuids: [],
    message: 'The parent of a row is not in the file.',
    ...change,
  };
}

function write(
  result: Partial<ScannedSession['result']>,
  change: Partial<SessionDetails> & { readonly configDir?: string } = {},
  problem: string | null = null,
  usage: SessionUsage | null = null,
  parentTitle: string | null = null,
  counted: CountedInfo | null = COUNTED,
  preflight: Preflight | null = null,
) {
  const metadata = {
    title: 'Mend **the** login form',
    cwd: '/src/app',
    model: 'claude-opus',
    gitBranch: 'main',
    clientVersion: '2.1.330',
    lastMessageMs: Date.UTC(2026, 5, 10, 12),
    parentSessionId: null,
    createdMs: null,
    ...change.metadata,
  };
  const scan: ScannedSession = {
    result: {
      sessionId: 's',
      filePath: '/s.jsonl',
      provider: 'claude',
      status: 'corrupted',
      chainDepth: 9,
      orphanCount: 1,
      fileSize: 412_345,
      messageCount: 28,
      resume: { loads: 9, of: 28, leafUuid: 'x', missingLines: [], client: '2.1.330', isExact: true },
      findings: [],
      ...result,
    },
    metadata,
    problem,
  };
  const { client = diagnosticsFor().client } = change;
  const details = {
    scan,
    metadata,
    client,
    activity: change.activity ?? activity('ended'),
    end: change.end ?? null,
    sweep: change.sweep ?? null,
  };
  return sessionTooltip(
    session({ health: 'corrupted' }),
    details,
    {
      counted,
      usage,
      preflight,
      parentTitle,
      reconnectedMs: null,
      configDir: change.configDir ?? null,
      homeDir: '/home/p',
      nowMs: NOW_MS,
    },
    formats,
    t,
  );
}

/** The text after the Markdown has been rendered. */
const plain = (markdown: string): string => markdown.replace(/\\([!-/:-@[-`{-~])/g, '$1').replaceAll('&#36;', '$');
const plainTooltip = (...args: Parameters<typeof write>): string => plain(write(...args));

describe('The tooltip of a session', () => {
  it('calls nothing forgotten that is on other branches', () => {
    const of = (counted: CountedInfo): string => plainTooltip({ status: 'healthy' }, {}, null, null, null, counted);
    assert.match(of(COUNTED), /Claude remembers all 5 messages of this thread, as Claude Code 2\.1\.330 reads it\./);
    assert.match(of({ ...COUNTED, losesMessages: true }), /Claude remembers 5 of 12 messages, as/);
  });

  it('shows how much Claude remembers, and what is known of the session', () => {
    const all = plainTooltip({});
    assert.match(all, /Claude remembers 5 of 12 messages, as Claude Code 2\.1\.330 reads it\./);
    assert.match(all, /^12 messages, 4 prompts · claude-opus · main · 412\.3 kB {2}$/m);
    const whole = { loads: 28, of: 28, leafUuid: 'x', missingLines: [], client: '2.1.330', isExact: true };
    const of = (remembered: number, messages: number): string => {
      const counted = { ...COUNTED, info: { ...COUNTED.info, messages }, remembered };
      return plainTooltip({ resume: whole }, {}, null, null, null, counted);
    };
    assert.match(of(12, 12), /Claude remembers all 12 messages, as Claude Code 2\.1\.330 reads it\./);
    assert.match(of(1, 1), /Claude remembers 1 message, as Claude Code/);
    assert.match(of(0, 12), /Claude remembers none of the 12 messages, as Claude Code/);
  });

  it('says without a count only whether Claude remembers all of it', () => {
    const resume = { loads: 28, of: 28, leafUuid: 'x', missingLines: [], client: '2.1.330', isExact: true };
    const of = (loads: number): string => plainTooltip({ resume: { ...resume, loads } }, {}, null, null, null, null);
    assert.match(of(28), /Claude remembers all of it, as Claude Code/);
    assert.match(of(9), /Claude remembers a part of it, as Claude Code/);
    assert.match(of(0), /Claude remembers nothing of it, as Claude Code/);
  });

  it('has at most eight lines, the most important ones first', () => {
    const parentSessionId = 'c0ffee00-1111-4111-8111-111111111111';
    const metadata = { title: 'x', cwd: null, model: 'm', gitBranch: null, clientVersion: null, lastMessageMs: 0 };
    const change = { metadata: { ...metadata, parentSessionId, createdMs: null }, activity: activity('busy') };
    const lines = plainTooltip({ findings: [finding()] }, change, null, sessionUsage(), 'Parent').split('  \n');
    assert.ok(lines.length <= 8, String(lines.length));
    assert.match(lines[1] ?? '', /Claude remembers/);
    assert.match(lines[2] ?? '', /The parent of a row/);
    assert.match(lines[3] ?? '', /Running: Bash: npm test, working/);
  });
  it('cannot be turned around by what was said', () => {
    const spoken = { ...COUNTED, firstPrompt: 'a\u202eb', lastAnswer: 'ok \u2067reversed' };
    assert.doesNotMatch(plainTooltip({}, {}, null, sessionUsage(), 'Parent', spoken), /[\u202a-\u202e\u2066-\u2069]/u);
  });
  it('ends with the first prompt, the last answer, one line of facts, and what can be done', () => {
    const spoken = { ...COUNTED, firstPrompt: 'Mend\nthe form', lastAnswer: `Done. ${'x'.repeat(400)}` };
    const change = { activity: activity('busy'), configDir: '/c', end: null };
    const full = [finding()];
    const lines = plainTooltip({ findings: full }, change, null, sessionUsage(), 'Parent', spoken).split('  \n');
    assert.equal(lines.length, 8);
    const [prompt = '', answer = '', facts = '', links = ''] = lines.slice(4);
    assert.equal(prompt, '$(account) First prompt: Mend the form');
    assert.match(answer, /^\$\(sparkle\) Last answer: Done\. x+…$/);
    assert.ok(answer.length < 100);
    // The model and the size have no room any more.
    assert.equal(facts, '12 messages, 4 prompts · 973.6K tokens, $1.02, context 42% full · main');
    assert.match(
      links,
      /^\[Open\]\(command:rethread\.openConversation\?\S+\) · \[Resume\]\(\S+\) · \[Repair\]\(\S+\)$/,
    );
  });
  it('says first that the API refuses every prompt', () => {
    const refused = finding({ code: 'tool-input', isRefused: true });
    const [, sentence = ''] = plainTooltip({ findings: [refused] }).split('  \n');
    assert.match(sentence, /Claude’s API refuses every prompt in this session\.$/);
  });
  it('offers to slim a giant file, and nothing else', () => {
    assert.match(
      write({ findings: [finding({ code: 'giant-file', lines: [] })] }),
      / · \[Slim\]\(command:rethread\.slim\?/,
    );
    assert.doesNotMatch(write({ findings: [finding()] }), /rethread\.slim/);
  });
  it('leaves out a first prompt that is the title', () => {
    const spoken = { ...COUNTED, firstPrompt: 'Mend **the** login form' };
    assert.doesNotMatch(plainTooltip({}, {}, null, null, null, spoken), /First prompt/);
  });
  it('offers what a finding leaves to the person', () => {
    const linksOf = (offer: FindingOffer): readonly (string | undefined)[] => {
      const markdown = write({ findings: [finding({ severity: 'warning', offer })] });
      return [...markdown.matchAll(/\[([^\]]*)\]\(command:rethread\.resolveFinding\?/g)].map((match) => match[1]);
    };
    assert.deepEqual(linksOf({ kind: 'choose-branch', line: 9 }), ['Choose Branch']);
    assert.deepEqual(linksOf({ kind: 'fork-newest', line: 9 }), ['Fork at Newest Messages']);
    assert.deepEqual(linksOf({ kind: 'open-original', filePath: '/x.jsonl' }), ['Open Original']);
    assert.deepEqual(linksOf({ kind: 'fork-branch', lines: [9] }), ['Fork Other Branch']);
  });
  it('lets no message make a link, and no path end one', () => {
    const spoken = { ...COUNTED, firstPrompt: '[x](command:evil) $(trash)', lastAnswer: '<a href="command:evil">' };
    const markdown = write(
      { findings: [finding({ code: 'giant-file', lines: [], offer: { kind: 'choose-branch', line: 9 } })] },
      {},
      null,
      null,
      null,
      spoken,
    );
    assert.deepEqual(
      [...markdown.matchAll(/\]\(command:([^?]*)/g)].map((match) => match[1]),
      [...TOOLTIP_COMMANDS],
    );
    assert.ok(markdown.includes('\\[x\\]\\(command\\:evil\\) &#36;'));
    assert.ok(markdown.includes('\\<a href'));
  });
  it('says that it is approximate for a client whose rules were not measured, and how', () => {
    const of = (version: string): string => {
      const { client } = diagnosticsFor(version);
      const resume = { loads: 9, of: 28, leafUuid: 'x', missingLines: [], client: version, isExact: client.isExact };
      return plainTooltip({ resume }, { client });
    };
    assert.doesNotMatch(of('2.1.330'), /Approximate/);
    assert.match(of('2.1.400'), /as Claude Code 2\.1\.400 reads it\. Approximate: 2\.1\.400 is newer than 2\.1\.330/);
    assert.match(of('2.1.150'), /Approximate: the rules of 2\.1\.150 were not measured\./);
    assert.match(of('2.1.50'), /Approximate: clients as old as 2\.1\.50 load less than 2\.1\.330: nothing before/);
    const unread = plainTooltip({ status: 'missing' }, { client: diagnosticsFor('2.1.50').client });
    assert.doesNotMatch(unread, /Approximate/);
  });
  it('says so where the client that wrote the rows is far from the one that reads them', () => {
    const of = (version: string): string => plainTooltip({}, { client: diagnosticsFor(version).client });
    assert.doesNotMatch(of('2.1.300'), /Written by/);
    assert.match(of('2.1.280'), /Written by Claude Code 2\.1\.330; what is said here is for 2\.1\.280/);
    assert.match(of('2.2.1'), /Written by Claude Code 2\.1\.330; what is said here is for 2\.2\.1/);
  });
  it('renders nothing from a transcript as Markdown or as an icon', () => {
    const markdown = write({ findings: [finding({ message: '[x](command:evil) $(trash) <b>\n# y' })] });
    assert.ok(markdown.includes('Mend \\*\\*the\\*\\* login form'));
    assert.ok(markdown.includes('\\[x\\]\\(command\\:evil\\) &#36;\\(trash\\) \\<b\\> \\# y'));
  });
  it('names the gravest finding with its lines, and how many others there are', () => {
    const findings = [finding({ severity: 'info', message: 'A torn row.' }), finding({ lines: [3, 4, 5, 9] })];
    assert.match(
      plainTooltip({ findings }),
      /\$\(error\) The parent of a row is not in the file \(lines 3–5, 9\), and 1 more/,
    );
    assert.match(plainTooltip({ findings: Array.from({ length: 8 }, () => finding()) }), /\(line 33\), and 7 more/);
    assert.doesNotMatch(plainTooltip({ findings: [finding()] }), /more/);
  });
  it('explains why a transcript cannot be read', () => {
    const all = plainTooltip({ status: 'unreadable' }, {}, 'Permission denied.');
    assert.match(all, /Permission denied\./);
    assert.doesNotMatch(all, /Claude remembers/);
  });
  it('leaves out unknown values', () => {
    const metadata = {
      title: null,
      cwd: null,
      model: null,
      gitBranch: null,
      clientVersion: null,
      lastMessageMs: null,
      parentSessionId: null,
      createdMs: null,
    };
    const all = plainTooltip({ status: 'healthy', messageCount: 0 }, { metadata });
    assert.match(all, /Session 44444444/);
    assert.match(all, /nothing to remember/);
    assert.doesNotMatch(all.slice(0, all.indexOf('[Open]')), /null/);
  });
  it('shows tokens, costs, and how full the context is, as the Tokens view does', () => {
    const all = plainTooltip({}, {}, null, sessionUsage());
    assert.match(all, /973\.6K tokens, \$1\.02/);
    assert.match(all, /context 42% full/);
  });
  it('never shows the cost of something without a price as zero', () => {
    const unpriced = spending(1, false);
    const all = plainTooltip(
      {},
      {},
      null,
      sessionUsage({ total: unpriced, context: { tokens: 5, model: 'x', window: null }, resumeCost: unpriced.cost }),
    );
    assert.match(all, /973\.6K tokens, no price/);
    assert.match(all, /context: 5 /);
    assert.doesNotMatch(all, /\$0/);
  });
  it('names the session that it was forked from, by its title or id', () => {
    const parent = 'c0ffee00-1111-4111-8111-111111111111';
    const metadata = { title: 'x', cwd: null, model: null, gitBranch: null, clientVersion: null, lastMessageMs: null };
    const change = { metadata: { ...metadata, parentSessionId: parent, createdMs: null } };
    assert.match(plainTooltip({}, change, null, null, 'Mend *it*'), /Forked from “Mend \*it\*”/);
    assert.match(plainTooltip({}, change), /Forked from session c0ffee00/);
    assert.doesNotMatch(plainTooltip({}), /Forked/);
  });
  it('names the config folder of a session of another account', () => {
    assert.match(write({}, { configDir: '/home/p/.claude-work' }), /Config folder\\: \\~\\\/\\\.claude\\-work/);
    assert.doesNotMatch(write({}), /Config folder/);
  });

  it('states how the session ended, unless Claude simply had the last word', () => {
    const interrupted = { kind: 'interrupted', by: 'person', duringTool: false } as const;
    assert.match(plainTooltip({}, { end: interrupted }), /^Interrupted {0,2}$/m);
    assert.match(plainTooltip({}, { end: { ...interrupted, duringTool: true } }), /Interrupted while a tool ran/);
    assert.match(plainTooltip({}, { end: { ...interrupted, by: 'unknown' } }), /Ended before the reply/);
    assert.match(
      plainTooltip({}, { end: { kind: 'waitingOnTool', tools: ['Bash', '*Edit*'] } }),
      /Waiting on a tool: Bash, \*Edit\*/,
    );
    assert.match(
      plainTooltip({}, { end: { kind: 'apiError', text: `529 ${'overloaded '.repeat(99)}` } }),
      /Ended with an API error: 529 overloaded .{1,200}… {0,2}$/m,
    );
    for (const end of [{ kind: 'ended' }, null] as const) {
      assert.doesNotMatch(plainTooltip({}, { end }), /Interrupted|Ended|Waiting/);
    }
  });
  it('states that a client runs the session rather than how it ended', () => {
    const all = plainTooltip(
      {},
      { activity: activity('busy', { sinceMs: NOW_MS - 3_600_000 }), end: { kind: 'apiError', text: '529' } },
    );
    assert.match(all, /Running: Bash: npm test, working since \d+:\d\d\s[AP]M, in a terminal {2}$/m);
    const idle = { ...COUNTED, info: { ...COUNTED.info, doing: null } };
    const rest = plainTooltip({}, { activity: activity('idle') }, null, null, null, idle);
    assert.match(rest, /Running: idle, in a terminal, process 7 {2}$/m);
    assert.doesNotMatch(all, /529/);
  });
  it('says the day, too, of a state that has lasted for long', () => {
    const all = plainTooltip({}, { activity: activity('idle', { sinceMs: NOW_MS - 30 * 3_600_000 }) });
    assert.match(all, /idle since Oct 30, 2026/);
  });
  it('does not repeat what a session waits for in the words of the client', () => {
    const waiting = activity('waiting-approval', { waitingFor: 'Bash: npm test' });
    assert.match(plainTooltip({}, { activity: waiting }), /Running: waiting for your approval, in a terminal/);
  });
  it('has no line that VS Code wraps, but for a long title and an approximate verdict', () => {
    const long = 'a long text that goes on and on '.repeat(20);
    const parent = 'c0ffee00-1111-4111-8111-111111111111';
    const metadata = { title: 'x', cwd: null, model: 'm'.repeat(50), gitBranch: long, clientVersion: '1.0.1' };
    const spoken = { ...COUNTED, info: { ...COUNTED.info, doing: long }, firstPrompt: long, lastAnswer: long };
    const places = Array.from({ length: 20 }, (_, at) => 3 * at);
    const findings = [finding({ message: `${long}: ${long}`, lines: places }), finding()];
    const sweep = { sweptMs: NOW_MS, period: { days: 30, settingsPath: `/home/p/${long}` } };
    const running = activity('waiting-answer', { sinceMs: 0 });
    for (const change of [
      { activity: running, configDir: `/${long}` },
      { end: { kind: 'apiError', text: long }, sweep },
    ] as const) {
      const details = { ...change, metadata: { ...metadata, lastMessageMs: 0, parentSessionId: parent, createdMs: 0 } };
      const lines = plainTooltip({ findings }, details, null, sessionUsage(), long, spoken).split('  \n');
      assert.equal(lines.length, 8);
      for (const line of lines.slice(1, -1)) {
        const seen = line.replace(/^\$\([a-z-]+\)/, 'aa');
        assert.ok(textWidth(seen) <= TOOLTIP_LINE_WIDTH + 0.5, `${textWidth(seen)}: ${seen}`);
      }
    }
  });
  it('has fewer lines below a title and a verdict that are wrapped', () => {
    const { client } = diagnosticsFor('2.1.50');
    const resume = { loads: 9, of: 28, leafUuid: 'x', missingLines: [], client: '2.1.50', isExact: false };
    const metadata = { title: 'mmmm '.repeat(100), cwd: null, model: 'm', gitBranch: null, clientVersion: null };
    const details = { client, metadata: { ...metadata, lastMessageMs: 0, parentSessionId: null, createdMs: 0 } };
    const spoken = { ...COUNTED, firstPrompt: 'Mend the form', lastAnswer: 'Done.' };
    const lines = plainTooltip({ resume, findings: [finding()] }, details, null, null, null, spoken).split('  \n');
    const [title = '', verdict = '', ...rest] = lines;
    const seen =
      Math.ceil((textWidth(title.replaceAll('*', '')) * 1.15) / TOOLTIP_LINE_WIDTH) +
      Math.ceil(textWidth(verdict) / TOOLTIP_LINE_WIDTH);
    assert.ok(seen > 4 && seen + rest.length <= 8, String([seen, ...lines]));
    assert.match(rest.at(-1) ?? '', /^\[Open\]/);
  });
  it('says what resuming means beside the link that resumes, and why if there is room', () => {
    const lines = plainTooltip({}, {}, null, null, null, COUNTED, PREFLIGHT).split('  \n');
    assert.match(lines.at(-1) ?? '', /^\[Open\]/);
    assert.equal(lines.at(-2), '$(play) Resuming: about 84.3K tokens, all uncached (expired), about $0.42');
    assert.match(lines.slice(2, -3).join('\n'), /^The cache is kept for 5 minutes; last use: \d+:\d\d\s[AP]M\.$/m);
  });
  it('names what starts again by itself', () => {
    const rearm = { kind: 'loop', id: 'k', what: 'Check the *build*', when: 'Every 10 minutes' } as const;
    const of = (...rearms: Preflight['rearms']): string =>
      plainTooltip({}, {}, null, null, null, COUNTED, { ...PREFLIGHT, rearms });
    assert.match(of(rearm), /^\$\(sync\) Starts again by itself: Check the \*build\* \(Every 10 minutes\) {2}$/m);
    assert.match(of(rearm, rearm), /^\$\(sync\) Starts 2 prompts again by itself: Check/m);
    assert.doesNotMatch(of(), /again/);
  });
  it('has at most eight lines with all of that, none of which VS Code wraps', () => {
    const long = 'a long text that goes on and on '.repeat(20);
    const rearms = [{ kind: 'loop', id: 'k', what: long, when: long }] as const;
    const spoken = { ...COUNTED, firstPrompt: long, lastAnswer: long };
    const end = { kind: 'apiError', text: long } as const;
    const all = plainTooltip({ findings: [finding()] }, { end }, null, sessionUsage(), long, spoken, {
      ...PREFLIGHT,
      rearms,
    });
    const lines = all.split('  \n');
    assert.equal(lines.length, 8);
    for (const line of lines.slice(1, -1)) {
      const seen = line.replace(/^\$\([a-z-]+\)/, 'aa');
      assert.ok(textWidth(seen) <= TOOLTIP_LINE_WIDTH + 0.5, `${textWidth(seen)}: ${seen}`);
    }
  });
  it('has room for what was found before what was said, for which a link may be offered', () => {
    const rearms = [{ kind: 'loop', id: 'k', what: 'Check', when: 'Every 10 minutes' }] as const;
    const spoken = { ...COUNTED, firstPrompt: 'Mend the form', lastAnswer: 'Done.' };
    const metadata = { title: 'mmmm '.repeat(100), cwd: null, model: 'm', gitBranch: null, clientVersion: null };
    const details = { metadata: { ...metadata, lastMessageMs: 0, parentSessionId: null, createdMs: 0 } };
    const preflight = { ...PREFLIGHT, rearms };
    const lines = plainTooltip({ findings: [finding()] }, details, null, null, null, spoken, preflight).split('  \n');
    assert.match(lines[2] ?? '', /^\$\(error\) The parent of a row/);
  });
  it('has room for when the session would be deleted before what is only told', () => {
    const spoken = { ...COUNTED, firstPrompt: 'Mend the form', lastAnswer: 'Done.' };
    const sweep = { sweptMs: NOW_MS, period: { days: 30, settingsPath: null } };
    const findings = [finding({ severity: 'info', action: 'tell' })];
    const lines = plainTooltip({ status: 'healthy', findings }, { sweep }, null, null, null, spoken, PREFLIGHT);
    assert.match(lines, /^Claude Code would delete it /m);
  });
  it('says nothing of resuming a session that runs, or in which nothing was said', () => {
    const busy = { activity: activity('busy') };
    assert.doesNotMatch(plainTooltip({}, busy, null, null, null, COUNTED, PREFLIGHT), /Resuming/);
    const empty = { ...PREFLIGHT, messages: { loads: 0, of: 0, hasSummary: false } };
    assert.doesNotMatch(plainTooltip({}, {}, null, null, null, COUNTED, empty), /Resuming/);
  });
  it('leaves out tokens until they are counted, and where there are none', () => {
    const none = sessionUsage({ total: { ...spending(1), messages: 0 } });
    for (const usage of [null, none]) assert.doesNotMatch(plainTooltip({}, {}, null, usage), /tokens|context/);
  });
});
