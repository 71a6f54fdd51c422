import { basename } from 'node:path';
import type { ProjectSummary, SessionsSnapshot, SessionSummary } from '../../protocol/channels/sessions';
import type { Translate } from '../text/translate';
import { type Formats, shorten, shortenHome } from '../text/formats';
import { sessionLabel } from '../text/sessionTitle';
import { shortenToWidth } from '../text/textWidth';
import type { FilterMark, FilterValue } from './sessionFilter';
import { type ModelProblem, sessionsViewState } from './sessionsState';

const MAX_QUOTED_CHARACTERS = 40;
/** In a view of 220 pixels. VS Code breaks the message only between words, and makes all of it as wide as its widest word. */
const MAX_WORD_WIDTH = 20;

export interface SessionsViewInput {
  readonly snapshot: SessionsSnapshot;
  readonly problem: ModelProblem | null;
  readonly isScanning: boolean;
  readonly configDir: string | null;
  /** The person's home folder. */
  readonly homeDir: string;
  /** Name of the machine whose sessions are listed; null if it is the one on which the window is shown. */
  readonly remoteMachine: string | null;
  readonly filter: FilterValue;
  /** Number of sessions that the filter leaves; null if there is no filter. */
  readonly shown: number | null;
  readonly total: number;
  /** Entries of the setting for further config folders that name none. */
  readonly ignoredConfigDirs: readonly string[];
}

export interface SessionsViewText {
  /** Shown beside the view's title if its container has several views. */
  readonly description: string;
  /** Shown above the tree; hides the welcome text if the tree is empty. */
  readonly message: string;
}

/** The texts that the view shows around its tree. */
export function sessionsViewText(input: SessionsViewInput, formats: Formats, t: Translate): SessionsViewText {
  return {
    description: describe(input, formats, t),
    message: [explainProblem(input, t), ...explainExtra(input, t), explainFilter(input, formats, t)]
      .filter((text) => text !== '')
      .join(' '),
  };
}

function describe(input: SessionsViewInput, formats: Formats, t: Translate): string {
  const { snapshot, isScanning, problem, remoteMachine } = input;
  const { phase } = snapshot;
  if (isScanning && phase.kind === 'scanning' && phase.total > 1) {
    return t('scanning {0} of {1}', formats.number(phase.done), formats.number(phase.total));
  }
  // A person who misses sessions has to know which machine was looked at; the welcome text cannot contain its name.
  const state = sessionsViewState(snapshot, problem);
  return remoteMachine !== null && (state === 'empty' || state === 'folderMissing') ? t('on {0}', remoteMachine) : '';
}

function explainFilter(input: SessionsViewInput, formats: Formats, t: Translate): string {
  const { filter, shown, total, snapshot, homeDir } = input;
  if (shown === null) return '';
  const what = filteredText(filter, snapshot.projects, homeDir, t);
  const counted = t('Filtered: {0} · {1} of {2}', what, formats.number(shown), formats.number(total));
  return shown > 0 ? counted : t('{0}. Clear Filter in the title bar of this view shows all.', counted);
}

/** The parts of a filter in a few words, such as `broken, “tides”`. */
export function filteredText(
  { text, marks, projects, configDirs }: FilterValue,
  known: readonly ProjectSummary[],
  homeDir: string,
  t: Translate,
): string {
  const typed = shorten(text.replace(/\s+/g, ' ').trim(), MAX_QUOTED_CHARACTERS)
    .split(' ')
    .map((word) => shortenToWidth(word, MAX_WORD_WIDTH))
    .join(' ');
  const nameOf = (folder: string): string =>
    basename(known.find((project) => project.folder === folder)?.cwd ?? folder);
  return [
    ...marks.map((mark) => markText(mark, t)),
    ...projects.map(nameOf),
    ...configDirs.map((path) => shortenHome(path, homeDir)),
    ...(typed === '' ? [] : [t('“{0}”', typed)]),
  ].join(', ');
}

function markText(mark: FilterMark, t: Translate): string {
  switch (mark) {
    case 'broken':
      return t('broken');
    case 'repaired':
      return t('repaired');
    case 'running':
      return t('running');
    case 'waiting':
      return t('waiting for you');
    case 'fork':
      return t('forks');
    case 'expiring':
      return t('expiring soon');
    case 'thisFolder':
      return t('this folder only');
  }
}

function explainProblem({ snapshot, problem, configDir }: SessionsViewInput, t: Translate): string {
  // The welcome text with its buttons explains it better.
  if (problem === 'invalid-config-dir') return '';
  if (problem === 'worker-gave-up') {
    if (snapshot.projects.length === 0) return '';
    return t('The scan keeps failing. Refresh to try again; the output channel “Rethread” says more.');
  }
  return snapshot.problem === null
    ? ''
    : t('The sessions in {0} could not be listed. {1}', configDir ?? '', snapshot.problem);
}

/** What is wrong with the folders of other accounts. */
function explainExtra({ snapshot, homeDir, ignoredConfigDirs }: SessionsViewInput, t: Translate): readonly string[] {
  const problems = (snapshot.extraProblems ?? []).map(({ configDir, problem }) => {
    const folder = shortenHome(configDir, homeDir);
    return problem === null
      ? t('The folder {0} of the setting “rethread.extraConfigDirs” does not exist.', folder)
      : t('The sessions in {0} could not be listed. {1}', folder, problem);
  });
  if (ignoredConfigDirs.length === 0) return problems;
  const ignored = t(
    'These entries of the setting “rethread.extraConfigDirs” are ignored, because they are not absolute paths: {0}.',
    ignoredConfigDirs.join(', '),
  );
  return [...problems, ignored];
}

const MAX_NAMED_SESSIONS = 10;

export interface AttentionText {
  /** Of the status bar, such as `2 broken, 1 waiting`. */
  readonly short: string;
  /** One sentence for each kind. */
  readonly summary: string;
  /** The sessions' names, at most `MAX_NAMED_SESSIONS` of them, those that wait first. */
  readonly lines: readonly string[];
  readonly count: number;
}

export interface Attention {
  /** Sessions that wait for the person. */
  readonly waiting: readonly SessionSummary[];
  readonly broken: readonly SessionSummary[];
}

/** What the status bar item and the badge of the view say; null if there is nothing to say. */
export function attentionText(
  { waiting, broken }: Attention,
  hasOpenFolder: boolean,
  formats: Formats,
  t: Translate,
): AttentionText | null {
  const count = waiting.length + broken.length;
  if (count === 0) return null;
  const named = [...waiting, ...broken].slice(0, MAX_NAMED_SESSIONS);
  const lines = named.map((session) => sessionLabel(session, t));
  if (count > named.length) lines.push(t('and {0} more', formats.number(count - named.length)));
  const isAny = (sessions: readonly SessionSummary[]): boolean => sessions.length > 0;
  return {
    short: [
      ...(isAny(broken) ? [t('{0} broken', formats.number(broken.length))] : []),
      ...(isAny(waiting) ? [t('{0} waiting', formats.number(waiting.length))] : []),
    ].join(', '),
    summary: [
      ...(isAny(waiting) ? [waitingText(waiting.length, formats, t)] : []),
      ...(isAny(broken) ? [brokenText(broken.length, hasOpenFolder, formats, t)] : []),
    ].join('. '),
    lines,
    count,
  };
}

export function waitingText(count: number, formats: Formats, t: Translate): string {
  return count === 1 ? t('1 waits for you') : t('{0} wait for you', formats.number(count));
}

function brokenText(number: number, hasOpenFolder: boolean, formats: Formats, t: Translate): string {
  const count = formats.number(number);
  if (hasOpenFolder) {
    return number === 1
      ? t('1 Claude Code session of this window is broken')
      : t('{0} Claude Code sessions of this window are broken', count);
  }
  return number === 1 ? t('1 Claude Code session is broken') : t('{0} Claude Code sessions are broken', count);
}
