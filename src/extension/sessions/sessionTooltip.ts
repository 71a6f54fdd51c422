import type { CountedInfo, SessionDetails, SessionSummary } from '../../protocol/channels/sessions';
import type { ClientLimit } from '../../protocol/client';
import type { SessionEnd } from '../../protocol/message';
import { memoryText } from '../../protocol/memory';
import type { Preflight } from '../../protocol/preflight';
import { type Finding, GIANT_FILE, type Severity } from '../../protocol/repair';
import type { ScannedSession } from '../../protocol/session';
import { isRunningState, type SessionActivity, type SessionSource } from '../../protocol/sessionActivity';
import { type CostFigure, type SessionUsage, totalTokens } from '../../protocol/usage';
import { offerName } from '../repair/findingOffers';
import type { CommandId } from '../config/contributions';
import type { Translate } from '../text/translate';
import { escapeMarkdown, type Formats, shorten, shortenHome } from '../text/formats';
import { preflightText } from '../text/preflightText';
import { plainLine, sessionTitle } from '../text/sessionTitle';
import { shortenToWidth, textWidth, TOOLTIP_LINE_WIDTH } from '../text/textWidth';
import { sweepText } from './sweepText';
import { configDirText, sessionIcon, stateName } from './sessionAppearance';
import { canBeRepaired } from './sessionsState';

/** A whole title can be a prompt of several megabytes. */
const MAX_TITLE_CHARACTERS = 300;
const MAX_TITLE_LINES = 2;
/** The title is written in bold. */
const BOLD_SCALE = 1.15;
/** What is spoken, done or waited for can be very long; a line has room for less. */
const MAX_CHARACTERS = 120;
/** An icon and the space behind it. */
const ICON_WIDTH = 2.5;
const SEVERITIES: readonly Severity[] = ['error', 'warning', 'info'];

/** What is found out beside the verdict. */
export interface TooltipExtras {
  /** null if the transcript cannot be read. */
  readonly counted: CountedInfo | null;
  /** null until its tokens are counted. */
  readonly usage: SessionUsage | null;
  /** null until its transcript is read. */
  readonly preflight: Preflight | null;
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

/** A longer one is not read at a glance. Lines as people see them: one that is wrapped counts as several. */
const MAX_LINES = 8;

/** At most eight lines about a session, as Markdown with icons: what matters most comes first. Everything from the transcript is escaped. */
export function sessionTooltip(
  session: SessionSummary,
  details: SessionDetails,
  { counted, usage, preflight, parentTitle, reconnectedMs, configDir, homeDir, nowMs }: TooltipExtras,
  formats: Formats,
  t: Translate,
): string {
  const { scan, metadata } = details;
  const wholeTitle = sessionTitle({ ...session, title: metadata.title }, t).slice(0, MAX_TITLE_CHARACTERS);
  const sentence = [verdict(scan, counted, formats, t), ...clientNote(details, t)].join(' ');
  const sentenceLines = linesOf(ICON_WIDTH + textWidth(sentence));
  const title = shortenToWidth(wholeTitle, titleWidth(sentenceLines > MAX_TITLE_LINES ? 1 : MAX_TITLE_LINES));
  const first = [
    `**${escapeMarkdown(title)}**`,
    `$(${sessionIcon({ ...session, activity: null }).id}) ${escapeMarkdown(sentence)}`,
  ];
  const facts = fittingFacts([
    ...messageFacts(counted, formats, t),
    ...(usage === null ? [] : usageFacts(usage, formats, t)),
    ...placeFacts(details, formats),
  ]);
  // A client that runs the session is not resumed.
  const isResumable = preflight !== null && !isRunningState(details.activity.state);
  const fits = (request: string): boolean => textWidth(request) <= TOOLTIP_LINE_WIDTH - ICON_WIDTH;
  const resuming = isResumable ? preflightText(preflight, nowMs, formats, t, fits) : null;
  const rearms = resuming?.rearms ?? null;
  const last = [
    oneLine(facts),
    ...(resuming === null ? [] : [oneLine(resuming.request, 'play')]),
    ...(rearms === null ? [] : [oneLine(rearms, 'sync')]),
    actionLinks(session, scan.result.findings, t),
  ];
  const { findings } = scan.result;
  const finding = findingLine(findings, formats, t);
  // A link below may lead to what is done about it. What is only told comes last.
  const isUrgent = findings.some(({ severity, offer }) => severity !== 'info' || offer !== undefined);
  const found = isUrgent ? finding : [];
  const between = [
    ...(session.health === 'repaired' ? [oneLine(t('Repaired; the repair can be undone.'), 'history')] : []),
    ...(reconnectedMs === null ? [] : [`_${oneLine(t('Reconnected at {0}', formats.time(reconnectedMs)))}_`]),
    ...[
      ...stateFacts(details, counted?.info.doing ?? null, nowMs, formats, t),
      ...(details.sweep === null ? [] : [sweepText(details.sweep, nowMs, homeDir, formats, t)]),
      ...(configDir === null ? [] : [configDirText(shortenHome(configDir, homeDir), t)]),
      ...forkFacts(details, parentTitle, t),
      ...writerFacts(details, t),
      ...(resuming === null ? [] : [resuming.why]),
    ].map((text) => oneLine(text)),
    ...(isUrgent ? [] : finding),
  ];
  const seen = linesOf(textWidth(title) * BOLD_SCALE) + sentenceLines;
  const room = Math.max(0, MAX_LINES - seen - last.length);
  const needed = found.length + (details.sweep === null ? 0 : 1);
  const spoken = spokenLines(counted, metadata.title, t).slice(0, Math.max(0, room - needed));
  return [...first, ...[...found, ...between].slice(0, room - spoken.length), ...spoken, ...last].join('  \n');
}

/** Of a title in so many lines; the first of two is not filled. */
function titleWidth(lines: number): number {
  return ((lines === 1 ? 1 : lines - 0.2) * TOOLTIP_LINE_WIDTH) / BOLD_SCALE;
}

/** How many lines of the tooltip a text takes, with some room that is left at the ends of lines. */
function linesOf(width: number): number {
  return width <= TOOLTIP_LINE_WIDTH ? 1 : Math.ceil((width * 1.1) / TOOLTIP_LINE_WIDTH);
}

/** A line that is not wrapped, as Markdown. */
function oneLine(text: string, icon: string | null = null): string {
  if (icon === null) return escapeMarkdown(shortenToWidth(text, TOOLTIP_LINE_WIDTH));
  return `$(${icon}) ${escapeMarkdown(shortenToWidth(text, TOOLTIP_LINE_WIDTH - ICON_WIDTH))}`;
}

/** The commands to which links in a tooltip lead; a tooltip is trusted with these only. */
export const TOOLTIP_COMMANDS = [
  'rethread.openConversation',
  'rethread.resumeInTerminal',
  'rethread.repairSession',
  'rethread.slim',
  'rethread.resolveFinding',
] as const satisfies readonly CommandId[];

/** The beginning of the first prompt, unless the title says it, and of the last answer. */
function spokenLines(counted: CountedInfo | null, title: string | null, t: Translate): string[] {
  const prompt = plainLine(counted?.firstPrompt ?? '');
  const answer = plainLine(counted?.lastAnswer ?? '');
  return [
    ...(prompt === '' || prompt === plainLine(title ?? '')
      ? []
      : [oneLine(t('First prompt: {0}', shorten(prompt, MAX_CHARACTERS)), 'account')]),
    ...(answer === '' ? [] : [oneLine(t('Last answer: {0}', shorten(answer, MAX_CHARACTERS)), 'sparkle')]),
  ];
}

function actionLinks(session: SessionSummary, findings: readonly Finding[], t: Translate): string {
  const [open, resume, repair, slim, resolve] = TOOLTIP_COMMANDS;
  const argument = encodeURIComponent(JSON.stringify([{ filePath: session.path, line: null }]))
    // A parenthesis would end the address.
    .replaceAll('(', '%28')
    .replaceAll(')', '%29');
  const link = (label: string, command: CommandId): string =>
    `[${escapeMarkdown(label)}](command:${command}?${argument})`;
  const links = [link(t('Open'), open), link(t('Resume'), resume)];
  if (canBeRepaired(session)) links.push(link(t('Repair'), repair));
  const canSlim = findings.some(({ code }) => code === GIANT_FILE) && session.lacks?.includes('repair') !== true;
  if (canSlim) links.push(link(t('Slim'), slim));
  for (const { offer } of findings) if (offer !== undefined) links.push(link(offerName(offer, t), resolve));
  return links.join(' · ');
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
  if (result.findings.some(({ isRefused }) => isRefused === true)) {
    return t('Claude’s API refuses every prompt in this session.');
  }
  if (counted !== null) {
    const losesMessages = counted.losesMessages === true || result.status !== 'healthy';
    const memory = memoryText({ ...counted, messages: counted.info.messages, losesMessages }, formats, t);
    return t('{0}, as Claude Code {1} reads it.', memory, client);
  }
  if (loads === of) return t('Claude remembers all of it, as Claude Code {0} reads it.', client);
  if (loads === 0) return t('Claude remembers nothing of it, as Claude Code {0} reads it.', client);
  return t('Claude remembers a part of it, as Claude Code {0} reads it.', client);
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
      return t('no message behind NUL bytes');
    case 'glued-lines':
      return t('no message that shares a line with another');
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
  const more = others === 1 ? t('and 1 more') : t('and {0} more', formats.number(others));
  const rest = `${lines.length === 0 ? '' : ` ${place}`}${others === 0 ? '' : `, ${more}`}`;
  // What a finding means follows a colon; the conversation says it.
  const what = (message.split(': ')[0] ?? '').replace(/\.$/, '');
  const room = TOOLTIP_LINE_WIDTH - ICON_WIDTH - textWidth(rest);
  return [oneLine(`${shortenToWidth(what, Math.max(room, TOOLTIP_LINE_WIDTH / 2))}${rest}`, severity)];
}

function forkFacts({ metadata }: SessionDetails, parentTitle: string | null, t: Translate): string[] {
  const { parentSessionId } = metadata;
  if (parentSessionId === null) return [];
  if (parentTitle === null) return [t('Forked from session {0}', parentSessionId.slice(0, 8))];
  return [t('Forked from “{0}”', shortenToWidth(parentTitle, TOOLTIP_LINE_WIDTH * 0.75))];
}

function messageFacts(counted: CountedInfo | null, formats: Formats, t: Translate): string[] {
  const { messages = 0, turns = 0 } = counted?.info ?? {};
  const parts = [
    messages === 0 ? null : messages === 1 ? t('1 message') : t('{0} messages', formats.number(messages)),
    turns === 0 ? null : turns === 1 ? t('1 prompt') : t('{0} prompts', formats.number(turns)),
  ].filter((part) => part !== null);
  return parts.length === 0 ? [] : [parts.join(', ')];
}

function placeFacts({ scan, metadata }: SessionDetails, formats: Formats): string[] {
  const { model, gitBranch } = metadata;
  return [model ?? '', gitBranch ?? '', formats.size(scan.result.fileSize)].filter((part) => part !== '');
}

/** As many as one line has room for; the first ones matter most. */
function fittingFacts(facts: readonly string[]): string {
  let line = '';
  for (const fact of facts) {
    const longer = line === '' ? fact : `${line} · ${fact}`;
    if (line === '' || textWidth(longer) <= TOOLTIP_LINE_WIDTH) line = longer;
  }
  return line;
}

/** Releases of one minor version between two clients that may well load a history in different ways. */
const MANY_RELEASES = 50;

/** The client that wrote the last rows, if it is far from the one that the verdict is for. */
function writerFacts({ metadata, client }: SessionDetails, t: Translate): string[] {
  const [writer, reader] = [metadata.clientVersion, client.version];
  if (writer === null) return [];
  const [[major, minor, patch = 0] = [], [readerMajor, readerMinor, readerPatch = 0] = []] = [writer, reader].map(
    (version) => version.split('.').map((part) => Number.parseInt(part, 10)),
  );
  const isFar = major !== readerMajor || minor !== readerMinor || Math.abs(patch - readerPatch) >= MANY_RELEASES;
  return isFar ? [t('Written by Claude Code {0}; what is said here is for {1}', writer, reader)] : [];
}

/** The same figures as in the Tokens view. */
function usageFacts({ total, context }: SessionUsage, formats: Formats, t: Translate): string[] {
  if (total.messages === 0) return [];
  const window = context?.window ?? null;
  const parts = [
    t('{0} tokens', formats.compact(totalTokens(total.counts))),
    costText(total.cost, formats, t),
    context === null
      ? null
      : window === null || window <= 0
        ? t('context: {0}', formats.compact(context.tokens))
        : t('context {0} full', formats.percent(context.tokens / window)),
  ];
  return [parts.filter((part) => part !== null).join(', ')];
}

/** Never shows 0 for an unknown price. */
function costText({ usd, unpricedTokens }: CostFigure, formats: Formats, t: Translate): string {
  if (usd === null && unpricedTokens > 0) return t('no price');
  const known = formats.usd(usd ?? 0);
  return unpricedTokens > 0 ? t('{0} and what has no price', known) : known;
}

function stateFacts(
  { activity, end }: SessionDetails,
  doing: string | null,
  nowMs: number,
  formats: Formats,
  t: Translate,
): string[] {
  if (isRunningState(activity.state)) return [runningFact(activity, doing, nowMs, formats, t)];
  return end === null ? [] : endFacts(end, t);
}

/** Of a call, at least the tool and the beginning of what it does. */
const MIN_CALL_WIDTH = 15;
/** After so long, the time of day no longer says when something was. */
const TIME_OF_DAY_MS = 12 * 3_600_000;

function runningFact(
  { state, isInferred, source, sinceMs, pid, waitingFor }: SessionActivity,
  doing: string | null,
  nowMs: number,
  formats: Formats,
  t: Translate,
): string {
  const since = (timeMs: number): string =>
    nowMs - timeMs < TIME_OF_DAY_MS ? formats.time(timeMs) : formats.dateTime(timeMs);
  const certain = [
    sinceMs === null ? stateName(state, t) : t('{0} since {1}', stateName(state, t), since(sinceMs)),
    ...(isInferred ? [t('told by its last messages alone')] : []),
  ];
  // The client's words for what it waits for say no more than the state.
  const call = doing === null || doing === waitingFor ? null : shorten(doing, MAX_CHARACTERS);
  const line = (parts: readonly string[]): string => t('Running: {0}', parts.join(', '));
  const room = TOOLTIP_LINE_WIDTH - textWidth(line(['', ...certain]));
  const parts = [...(call === null ? [] : [shortenToWidth(call, Math.max(room, MIN_CALL_WIDTH))]), ...certain];
  for (const part of [sourceName(source, t), pid === null ? null : t('process {0}', String(pid))]) {
    if (part !== null && textWidth(line([...parts, part])) <= TOOLTIP_LINE_WIDTH) parts.push(part);
  }
  return line(parts);
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
      return [t('Waiting on a tool: {0}', shorten(end.tools.join(', '), MAX_CHARACTERS))];
    case 'apiError':
      return [t('Ended with an API error: {0}', shorten(end.text, MAX_CHARACTERS))];
  }
}
