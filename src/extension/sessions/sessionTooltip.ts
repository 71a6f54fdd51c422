import type { CountedInfo, SessionDetails, SessionSummary } from '../../protocol/channels/sessions';
import type { ClientLimit } from '../../protocol/client';
import type { SessionEnd } from '../../protocol/message';
import type { Finding, Severity } from '../../protocol/repair';
import type { ScannedSession } from '../../protocol/session';
import { isRunningState, type SessionActivity, type SessionSource } from '../../protocol/sessionActivity';
import { type CostFigure, type SessionUsage, totalTokens } from '../../protocol/usage';
import type { Translate } from '../text/translate';
import { escapeMarkdown, type Formats, shorten, shortenHome } from '../text/formats';
import { sessionTitle } from '../text/sessionTitle';
import { sweepText } from './sweepText';
import { sessionIcon, stateName } from './sessionAppearance';

const MAX_TITLE_CHARACTERS = 300;
const MAX_PARENT_CHARACTERS = 60;
const MAX_END_CHARACTERS = 120;
const SEVERITIES: readonly Severity[] = ['error', 'warning', 'info'];

/** What is found out beside the verdict. */
export interface TooltipExtras {
  /** null if the transcript cannot be read. */
  readonly counted: CountedInfo | null;
  /** null until its tokens are counted. */
  readonly usage: SessionUsage | null;
  /** Title of the session that it was forked from; null if unknown or not a fork. */
  readonly parentTitle: string | null;
  /** When its terminal was found again after a restart of the window; null if it was not. */
  readonly reconnectedMs: number | null;
  /** The config folder of the session, if it is not the main one. */
  readonly configDir: string | null;
  /** The person's home folder. */
  readonly homeDir: string;
  /** Milliseconds since the epoch. */
  readonly nowMs: number;
}

/** A longer one is not read at a glance. */
const MAX_LINES = 8;

/** At most eight lines about a session, as Markdown with icons: what matters most comes first. Everything from the transcript is escaped. */
export function sessionTooltip(
  session: SessionSummary,
  details: SessionDetails,
  { counted, usage, parentTitle, reconnectedMs, configDir, homeDir, nowMs }: TooltipExtras,
  formats: Formats,
  t: Translate,
): string {
  const { scan, metadata } = details;
  const title = sessionTitle({ ...session, title: metadata.title }, t).slice(0, MAX_TITLE_CHARACTERS);
  const sentence = [verdict(scan, counted, formats, t), ...clientNote(details, t)].join(' ');
  const lines = [
    `**${escapeMarkdown(title)}**`,
    `$(${sessionIcon({ ...session, activity: null }).id}) ${escapeMarkdown(sentence)}`,
    ...(session.health === 'repaired'
      ? [`$(history) ${escapeMarkdown(t('Repaired; the repair can be undone.'))}`]
      : []),
    ...findingLine(scan.result.findings, formats, t),
    ...[
      ...stateFacts(details, counted?.info.doing ?? null, formats, t),
      ...(details.sweep === null ? [] : [sweepText(details.sweep, nowMs, homeDir, formats, t)]),
      ...(configDir === null ? [] : [configDirText(shortenHome(configDir, homeDir), t)]),
      ...forkFacts(details, parentTitle, t),
      ...messageFacts(details, counted, formats, t),
      ...(usage === null ? [] : usageFacts(usage, formats, t)),
      ...placeFacts(details, formats, t),
    ].map(escapeMarkdown),
  ];
  if (reconnectedMs === null) return lines.slice(0, MAX_LINES).join('  \n');
  const reconnected = `_${escapeMarkdown(t('Reconnected at {0}', formats.time(reconnectedMs)))}_`;
  return [...lines.slice(0, MAX_LINES - 1), reconnected].join('  \n');
}

/** Says that something belongs to the config folder of another account. */
export function configDirText(configDir: string, t: Translate): string {
  return t('Config folder: {0}', configDir);
}

/** Why a session has no transcript, and what can be done. */
export function absenceText({ health, path }: Pick<SessionSummary, 'health' | 'path'>, t: Translate): string {
  if (health !== 'missing') return t('Claude Code is running. It writes the transcript with your first prompt.');
  return t(
    'The transcript is gone: {0}. Claude Code deletes transcripts that were not written to for as long as its setting “cleanupPeriodDays” says. Restore the file from a backup of yours to see the session again, or remove it from the list.',
    path,
  );
}

/** The main sentence of the tooltip. `counted`: null if the messages were not counted. */
export function verdict(
  { result, problem }: ScannedSession,
  counted: CountedInfo | null,
  formats: Formats,
  t: Translate,
): string {
  if (result.status === 'missing') return t('The transcript is gone.');
  if (result.status === 'unreadable') return problem ?? t('The transcript cannot be read.');
  if (result.messageCount === 0 && result.status === 'healthy') {
    return t('Nothing was said in this session: Claude has nothing to remember.');
  }
  const { loads, of, client } = result.resume;
  if (of === 0 && result.findings.some(({ code }) => code === 'spread-row')) {
    return t('Claude remembers this session. Its messages span several lines, so they are not counted.');
  }
  if (loads === of) return t('Claude remembers all of it, as Claude Code {0} reads it.', client);
  if (loads === 0) return t('Claude remembers nothing of it, as Claude Code {0} reads it.', client);
  if (counted === null) return t('Claude remembers a part of it, as Claude Code {0} reads it.', client);
  const { remembered, info } = counted;
  const [known, all] = [formats.number(remembered), formats.number(info.messages)];
  return t('Claude remembers {0} of {1} messages, as Claude Code {2} reads it.', known, all, client);
}

/** How far the verdict can be relied on; empty where its client was measured, and where there is no verdict. */
function clientNote({ scan, client }: SessionDetails, t: Translate): string[] {
  const { status } = scan.result;
  if (status === 'missing' || status === 'unreadable') return [];
  const { standing, version, newestMeasured, limits } = client;
  switch (standing) {
    case 'exact':
      return [];
    case 'newer':
      return [t('Approximate: {0} is newer than {1}, whose rules stand in for its own.', version, newestMeasured)];
    case 'between':
      return [t('Approximate: the rules of {0} were not measured.', version)];
    case 'older': {
      const known = limits.map((limit) => limitText(limit, t)).join('; ');
      return [t('Approximate: clients as old as {0} load less than {1}: {2}.', version, newestMeasured, known)];
    }
  }
}

function limitText(limit: ClientLimit, t: Translate): string {
  switch (limit) {
    case 'no-healing':
      return t('nothing before a broken link');
    case 'nul-lines':
      return t('no row behind NUL bytes');
    case 'glued-lines':
      return t('no row that shares a line with another');
    case 'parallel-results':
      return t('not all results of parallel calls');
    case 'leaf-by-time':
      return t('only the branch with the newest time');
  }
}

/** The gravest finding, and how many more there are. */
function findingLine(findings: readonly Finding[], formats: Formats, t: Translate): string[] {
  const [gravest] = findings.toSorted((a, b) => SEVERITIES.indexOf(a.severity) - SEVERITIES.indexOf(b.severity));
  if (gravest === undefined) return [];
  const { severity, message, lines } = gravest;
  const place = lines.length === 1 ? t('(line {0})', formats.lines(lines)) : t('(lines {0})', formats.lines(lines));
  const others = findings.length - 1;
  const parts = [
    message,
    ...(lines.length === 0 ? [] : [place]),
    ...(others === 0 ? [] : [others === 1 ? t('And 1 more.') : t('And {0} more.', formats.number(others))]),
  ];
  return [`$(${severity}) ${escapeMarkdown(parts.join(' '))}`];
}

function forkFacts({ metadata }: SessionDetails, parentTitle: string | null, t: Translate): string[] {
  const { parentSessionId } = metadata;
  if (parentSessionId === null) return [];
  if (parentTitle === null) return [t('Forked from session {0}', parentSessionId.slice(0, 8))];
  return [t('Forked from “{0}”', shorten(parentTitle, MAX_PARENT_CHARACTERS))];
}

function messageFacts(
  { metadata }: SessionDetails,
  counted: CountedInfo | null,
  formats: Formats,
  t: Translate,
): string[] {
  const { lastMessageMs } = metadata;
  const { messages = 0, turns = 0 } = counted?.info ?? {};
  const parts = [
    messages === 0 ? null : messages === 1 ? t('1 message') : t('{0} messages', formats.number(messages)),
    turns === 0 ? null : turns === 1 ? t('1 prompt') : t('{0} prompts', formats.number(turns)),
    lastMessageMs === null ? null : t('last one on {0}', formats.dateTime(lastMessageMs)),
  ].filter((part) => part !== null);
  return parts.length === 0 ? [] : [parts.join(', ')];
}

function placeFacts({ scan, metadata, client }: SessionDetails, formats: Formats, t: Translate): string[] {
  const { model, gitBranch, clientVersion } = metadata;
  const parts = [
    model,
    gitBranch === '' ? null : gitBranch,
    formats.size(scan.result.fileSize),
    clientVersion === null ? null : writerFact(clientVersion, client.version, t),
  ];
  return [parts.filter((part) => part !== null).join(' · ')];
}

/** Releases of one minor version between two clients that may well load a history in different ways. */
const MANY_RELEASES = 50;

/** The client that wrote the last rows, and whether it is far from the one that the verdict is for. */
function writerFact(writer: string, reader: string, t: Translate): string {
  const [[major, minor, patch = 0] = [], [readerMajor, readerMinor, readerPatch = 0] = []] = [writer, reader].map(
    (version) => version.split('.').map((part) => Number.parseInt(part, 10)),
  );
  const isFar = major !== readerMajor || minor !== readerMinor || Math.abs(patch - readerPatch) >= MANY_RELEASES;
  if (!isFar) return t('Claude Code: {0}', writer);
  return t('Claude Code: {0}; what is said here is for {1}, which may load more or less', writer, reader);
}

/** The same figures as in the Tokens view. */
function usageFacts({ total, context, resumeCost }: SessionUsage, formats: Formats, t: Translate): string[] {
  if (total.messages === 0) return [];
  const window = context?.window ?? null;
  const parts = [
    t('{0} tokens', formats.compact(totalTokens(total.counts))),
    costText(total.cost, formats, t),
    context === null
      ? null
      : window === null || window <= 0
        ? t('context: {0}', formats.compact(context.tokens))
        : t(
            'context: {0} of {1} ({2})',
            formats.compact(context.tokens),
            formats.compact(window),
            formats.percent(context.tokens / window),
          ),
    resumeCost === null ? null : t('resuming now: about {0}', costText(resumeCost, formats, t)),
  ];
  return [parts.filter((part) => part !== null).join(', ')];
}

/** Never shows 0 for an unknown price. */
function costText({ usd, unpricedTokens }: CostFigure, formats: Formats, t: Translate): string {
  if (usd === null && unpricedTokens > 0) return t('no price');
  const known = formats.usd(usd ?? 0);
  return unpricedTokens > 0 ? t('{0} and what has no price', known) : known;
}

function stateFacts({ activity, end }: SessionDetails, doing: string | null, formats: Formats, t: Translate): string[] {
  if (isRunningState(activity.state)) return [runningFact(activity, doing, formats, t)];
  return end === null ? [] : endFacts(end, t);
}

function runningFact(
  { state, isInferred, source, sinceMs, pid }: SessionActivity,
  doing: string | null,
  formats: Formats,
  t: Translate,
): string {
  const parts = [
    doing === null ? null : shorten(doing, MAX_END_CHARACTERS),
    sinceMs === null ? stateName(state, t) : t('{0} since {1}', stateName(state, t), formats.dateTime(sinceMs)),
    sourceName(source, t),
    pid === null ? null : t('process {0}', String(pid)),
    isInferred ? t('told by its last messages alone') : null,
  ];
  return t('Running: {0}', parts.filter((part) => part !== null).join(', '));
}

function sourceName(source: SessionSource, t: Translate): string | null {
  switch (source) {
    case 'terminal':
      return t('in a terminal');
    case 'vscode':
      return t('in Claude Code’s own panel');
    case 'sdk':
      return t('started by a program');
    case 'background':
      return t('in the background');
    case 'here':
      return t('started from this window');
    case 'unknown':
      return null;
  }
}

function endFacts(end: SessionEnd, t: Translate): string[] {
  switch (end.kind) {
    case 'ended':
      return [];
    case 'interrupted':
      if (end.by === 'unknown') return [t('Ended before the reply')];
      return [end.duringTool ? t('Interrupted while a tool ran') : t('Interrupted')];
    case 'waitingOnTool':
      return [t('Waiting on a tool: {0}', shorten(end.tools.join(', '), MAX_END_CHARACTERS))];
    case 'apiError':
      return [t('Ended with an API error: {0}', shorten(end.text, MAX_END_CHARACTERS))];
  }
}
