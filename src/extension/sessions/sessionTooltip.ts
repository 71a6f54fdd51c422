import type { SessionDetails, SessionSummary } from '../../protocol/channels/sessions';
import type { ClientLimit } from '../../protocol/client';
import type { SessionEnd } from '../../protocol/message';
import type { Finding, Severity } from '../../protocol/repair';
import type { ScannedSession } from '../../protocol/session';
import { isRunningState, type SessionActivity, type SessionSource } from '../../protocol/sessionActivity';
import { type CostFigure, type SessionUsage, totalTokens } from '../../protocol/usage';
import type { Translate } from '../text/translate';
import { escapeMarkdown, type Formats, shorten } from '../text/formats';
import { sessionTitle } from '../text/sessionTitle';
import { sweepText } from './sweepText';
import { sessionIcon, stateName } from './sessionAppearance';

const MAX_FINDINGS = 5;
const MAX_TITLE_CHARACTERS = 300;
const MAX_PARENT_CHARACTERS = 60;
const MAX_END_CHARACTERS = 120;
const SEVERITIES: readonly Severity[] = ['error', 'warning', 'info'];

/** Facts that are not part of the scan. */
export interface TooltipExtras {
  /** null until its tokens are counted. */
  readonly usage: SessionUsage | null;
  /** Title of the session that it was forked from; null if unknown or not a fork. */
  readonly parentTitle: string | null;
  /** The person's home folder. */
  readonly homeDir: string;
  /** Milliseconds since the epoch. */
  readonly nowMs: number;
}

/** Facts about a session, as Markdown with icons. Everything from the transcript is escaped. */
export function sessionTooltip(
  session: SessionSummary,
  details: SessionDetails,
  { usage, parentTitle, homeDir, nowMs }: TooltipExtras,
  formats: Formats,
  t: Translate,
): string {
  const { scan, metadata } = details;
  const title = sessionTitle({ ...session, title: metadata.title }, t).slice(0, MAX_TITLE_CHARACTERS);
  const paragraphs = [
    `**${escapeMarkdown(title)}**`,
    `$(${sessionIcon({ ...session, activity: null }).id}) ${escapeMarkdown(verdict(scan, formats, t))}`,
    ...clientNote(details, t).map(escapeMarkdown),
  ];
  if (session.health === 'repaired') {
    paragraphs.push(`$(history) ${escapeMarkdown(t('Repaired; the repair can be undone.'))}`);
  }
  if (scan.result.findings.length > 0) paragraphs.push(findingList(scan.result.findings, formats, t));
  const all = [
    ...forkFacts(details, parentTitle, t),
    ...facts(details, formats, t),
    ...(usage === null ? [] : usageFacts(usage, formats, t)),
    ...stateFacts(details, formats, t),
    ...(details.sweep === null ? [] : [sweepText(details.sweep, nowMs, homeDir, formats, t)]),
  ];
  paragraphs.push('---', all.map(escapeMarkdown).join('  \n'));
  return paragraphs.join('\n\n');
}

/** The main sentence of the tooltip. */
export function verdict({ result, problem }: ScannedSession, formats: Formats, t: Translate): string {
  if (result.status === 'missing') return t('The transcript is gone.');
  if (result.status === 'unreadable') return problem ?? t('The transcript cannot be read.');
  if (result.messageCount === 0 && result.status === 'healthy') {
    return t('Nothing was said in this session: Claude has nothing to load.');
  }
  const { loads, of, client } = result.resume;
  if (of === 0 && result.findings.some(({ code }) => code === 'spread-row')) {
    return t('Claude will load this session. Its messages span several lines, so they are not counted.');
  }
  return t(
    'Claude will load {0} of {1} messages, as Claude Code {2} reads it.',
    formats.number(loads),
    formats.number(of),
    client,
  );
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

function findingList(findings: readonly Finding[], formats: Formats, t: Translate): string {
  const gravestFirst = findings.toSorted((a, b) => SEVERITIES.indexOf(a.severity) - SEVERITIES.indexOf(b.severity));
  const items = gravestFirst.slice(0, MAX_FINDINGS).map(({ severity, message, lines }) => {
    const place = lines.length === 1 ? t('(line {0})', formats.lines(lines)) : t('(lines {0})', formats.lines(lines));
    return `$(${severity}) ${escapeMarkdown(lines.length === 0 ? message : `${message} ${place}`)}`;
  });
  const unlisted = findings.length - MAX_FINDINGS;
  if (unlisted > 0) items.push(escapeMarkdown(t('and {0} more', formats.number(unlisted))));
  return items.join('  \n');
}

function forkFacts({ metadata }: SessionDetails, parentTitle: string | null, t: Translate): string[] {
  const { parentSessionId } = metadata;
  if (parentSessionId === null) return [];
  if (parentTitle === null) return [t('Forked from session {0}', parentSessionId.slice(0, 8))];
  return [t('Forked from “{0}”', shorten(parentTitle, MAX_PARENT_CHARACTERS))];
}

function facts({ scan, metadata, client }: SessionDetails, formats: Formats, t: Translate): string[] {
  const { lastMessageMs, model, gitBranch, clientVersion } = metadata;
  return [
    lastMessageMs === null ? null : t('Last message: {0}', formats.dateTime(lastMessageMs)),
    scan.result.status === 'unreadable' ? null : t('Conversation rows: {0}', formats.number(scan.result.messageCount)),
    t('Size: {0}', formats.size(scan.result.fileSize)),
    model === null ? null : t('Model: {0}', model),
    gitBranch === null || gitBranch === '' ? null : t('Branch: {0}', gitBranch),
    clientVersion === null ? null : writerFact(clientVersion, client.version, t),
  ].filter((fact) => fact !== null);
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
  const tokens = formats.compact(totalTokens(total.counts));
  const cost = costText(total.cost, formats, t);
  const window = context?.window ?? null;
  return [
    t('Tokens: {0}, {1}', tokens, cost),
    context === null
      ? null
      : window === null || window <= 0
        ? t('Context: {0} tokens', formats.compact(context.tokens))
        : t(
            'Context: {0} of {1} tokens ({2})',
            formats.compact(context.tokens),
            formats.compact(window),
            formats.percent(context.tokens / window),
          ),
    resumeCost === null ? null : t('Resuming now: about {0}', costText(resumeCost, formats, t)),
  ].filter((fact) => fact !== null);
}

/** Never shows 0 for an unknown price. */
function costText({ usd, unpricedTokens }: CostFigure, formats: Formats, t: Translate): string {
  if (usd === null && unpricedTokens > 0) return t('no price');
  const known = formats.usd(usd ?? 0);
  return unpricedTokens > 0 ? t('{0} and what has no price', known) : known;
}

function stateFacts({ activity, end }: SessionDetails, formats: Formats, t: Translate): string[] {
  if (isRunningState(activity.state)) return [runningFact(activity, formats, t)];
  return end === null ? [] : endFacts(end, t);
}

function runningFact(
  { state, isInferred, source, sinceMs, pid }: SessionActivity,
  formats: Formats,
  t: Translate,
): string {
  const parts = [
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
