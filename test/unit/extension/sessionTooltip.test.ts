import assert from 'node:assert/strict';
import { diagnosticsFor } from '../../rooms/diagnose';
import { sessionTooltip } from '../../../src/extension/sessions/sessionTooltip';
import type { CountedInfo, SessionDetails } from '../../../src/protocol/channels/sessions';
import { emptySessionInfo } from '../../../src/protocol/sessionInfo';
import type { Finding } from '../../../src/protocol/repair';
import type { ScannedSession } from '../../../src/protocol/session';
import type { SessionUsage } from '../../../src/protocol/usage';
import { activity, formats, session, t } from './fakes';
import { sessionUsage, spending } from './usageFakes';

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
) {
  const metadata = {
    title: 'Mend **the** login form',
    cwd: '/src/app',
    model: 'claude-opus',
    gitBranch: 'main',
    clientVersion: '2.1.330',
    lastMessageMs: Date.UTC(2026, 5, 10, 12),
    parentSessionId: null,
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
      counted: COUNTED,
      usage,
      parentTitle,
      reconnectedMs: null,
      configDir: change.configDir ?? null,
      homeDir: '/home/p',
      nowMs: Date.UTC(2026, 10, 1),
    },
    formats,
    t,
  );
}

/** The text after the Markdown has been rendered. */
const plain = (markdown: string): string => markdown.replace(/\\([!-/:-@[-`{-~])/g, '$1').replaceAll('&#36;', '$');
const plainTooltip = (...args: Parameters<typeof write>): string => plain(write(...args));

describe('The tooltip of a session', () => {
  it('shows how much Claude remembers, and what is known of the session', () => {
    const all = plainTooltip({});
    assert.match(all, /Claude remembers 5 of 12 messages, as Claude Code 2\.1\.330 reads it\./);
    assert.match(all, /^12 messages, 4 prompts, last one on Jun 10, 2026.*$/m);
    assert.match(all, /^claude-opus · main · 412\.3 kB · Claude Code: 2\.1\.330$/m);
    const whole = { loads: 28, of: 28, leafUuid: 'x', missingLines: [], client: '2.1.330', isExact: true };
    assert.match(plainTooltip({ resume: whole }), /Claude remembers all of it, as Claude Code/);
    assert.match(plainTooltip({ resume: { ...whole, loads: 0 } }), /Claude remembers nothing of it, as Claude Code/);
  });
  it('has at most eight lines, the most important ones first', () => {
    const parentSessionId = 'c0ffee00-1111-4111-8111-111111111111';
    const metadata = { title: 'x', cwd: null, model: 'm', gitBranch: null, clientVersion: null, lastMessageMs: 0 };
    const change = { metadata: { ...metadata, parentSessionId }, activity: activity('busy') };
    const lines = plainTooltip({ findings: [finding()] }, change, null, sessionUsage(), 'Parent').split('  \n');
    assert.ok(lines.length <= 8, String(lines.length));
    assert.match(lines[1] ?? '', /Claude remembers/);
    assert.match(lines[2] ?? '', /The parent of a row/);
    assert.match(lines[3] ?? '', /Running: Bash: npm test, working/);
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
    assert.match(of('2.1.300'), /Claude Code: 2\.1\.330$/m);
    assert.match(
      of('2.1.280'),
      /Claude Code: 2\.1\.330; what is said here is for 2\.1\.280, which may load more or less/,
    );
    assert.match(of('2.2.1'), /Claude Code: 2\.1\.330; what is said here is for 2\.2\.1/);
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
      /\$\(error\) The parent of a row is not in the file\. \(lines 3–5, 9\) And 1 more\./,
    );
    assert.match(plainTooltip({ findings: Array.from({ length: 8 }, () => finding()) }), /And 7 more\./);
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
    };
    const all = plainTooltip({ status: 'healthy', messageCount: 0 }, { metadata });
    assert.match(all, /Session 44444444/);
    assert.match(all, /nothing to remember/);
    assert.doesNotMatch(all, /null/);
  });
  it('shows token usage, context size and the cost of resuming, as the Tokens view does', () => {
    const all = plainTooltip({}, {}, null, sessionUsage());
    assert.match(all, /973\.6K tokens, \$1\.02/);
    assert.match(all, /context: 84\.3K of 200K \(42%\)/);
    assert.match(all, /resuming now: about \$0\.53/);
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
    assert.match(all, /context: 5,/);
    assert.match(all, /resuming now: about no price/);
    assert.doesNotMatch(all, /\$0/);
  });
  it('names the session that it was forked from, by its title or id', () => {
    const parent = 'c0ffee00-1111-4111-8111-111111111111';
    const metadata = { title: 'x', cwd: null, model: null, gitBranch: null, clientVersion: null, lastMessageMs: null };
    const change = { metadata: { ...metadata, parentSessionId: parent } };
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
      { activity: activity('busy', { sinceMs: 0 }), end: { kind: 'apiError', text: '529' } },
    );
    assert.match(all, /Running: Bash: npm test, working since .*, in a terminal, process 7/);
    assert.doesNotMatch(all, /529/);
  });
  it('leaves out tokens until they are counted, and where there are none', () => {
    const none = sessionUsage({ total: { ...spending(1), messages: 0 } });
    for (const usage of [null, none]) assert.doesNotMatch(plainTooltip({}, {}, null, usage), /tokens|context|resuming/);
  });
});
