import type { ConversationCalls } from '../../protocol/channels/conversation';
import type { ForkCalls } from '../../protocol/channels/history';
import type { SessionsCalls } from '../../protocol/channels/sessions';
import type { ConversationView, OutlineEntry, RowItem } from '../../protocol/conversation';
import { type ForkFailureReason, type ForkOutcome, forkTitle } from '../../protocol/history';
import type { ConversationTarget } from '../conversation/conversationAddresses';
import { isPrompt, rowAt, promptTextOf } from '../conversation/rowAt';
import type { DisposableLike } from '../lifetime';
import { memoryNow } from '../repair/repairText';
import type { Translate } from '../text/translate';
import type { NamedSession } from '../sessions/sessionsState';
import { type Formats, shorten } from '../text/formats';
import { sessionLabel } from '../text/sessionTitle';
import type { ChoiceGroup } from '../window/dialogs';
import type { Services } from '../services';

export interface ForkFlowDeps extends Pick<Services, 'dialogs' | 'now' | 'formats' | 'log' | 't'> {
  readonly forks: ForkCalls;
  /** Null if nothing is known of the session. */
  readonly info: SessionsCalls['info'];
  readonly conversations: Pick<
    ConversationCalls,
    'openConversation' | 'conversationOutline' | 'conversationItems' | 'indexOfLine'
  >;
  /** Keeps a conversation open until the result is disposed. */
  readonly hold: (filePath: string) => DisposableLike;
  readonly open: (target: ConversationTarget) => void;
  readonly resume: (session: NamedSession) => Promise<void>;
  /** Of all sessions of the list. */
  readonly titles: () => ReadonlySet<string>;
  /** Called after a session was created. */
  readonly onForked: () => void;
}

/** A row of an open conversation. */
export interface RowPlace {
  readonly view: ConversationView;
  /** 1-based line of the transcript. */
  readonly line: number;
}

interface ForkCut {
  readonly at: string | null;
  readonly isBefore: boolean;
  readonly title: string | null;
  /** The fork is opened without asking. */
  readonly isOpened?: boolean;
}

const CHAIN: ConversationView = { kind: 'chain' };
const MAX_PROMPT_CHARACTERS = 60;

/** Asks where to fork a session and what to call the fork, then reports what Claude will load of it. */
export class ForkFlow {
  readonly #deps: ForkFlowDeps;

  constructor(deps: ForkFlowDeps) {
    this.#deps = deps;
  }

  /** Forks at the end, or at a prompt that the person chooses. */
  async forkSession(session: NamedSession): Promise<void> {
    const { conversations, dialogs, hold, now, formats, t } = this.#deps;
    const { path: filePath } = session;
    const title = t('Fork “{0}”', sessionLabel(session, t));
    const held = hold(filePath);
    try {
      const outline = await dialogs.during(
        t('Looking for the prompts of “{0}”', sessionLabel(session, t)),
        async () => {
          const { problem } = await conversations.openConversation(filePath, CHAIN);
          return problem ?? conversations.conversationOutline(filePath, CHAIN);
        },
      );
      if (typeof outline === 'string') {
        void dialogs.notify('error', outline);
        return;
      }
      const point = await dialogs.choose(forkChoices(outline, now(), formats, t), {
        title,
        placeholder: t('Where does the fork end?'),
      });
      if (point === null) return;
      const cut = await this.#cutAt(point, filePath, title);
      if (cut === null) return;
      const name = await dialogs.enterText({
        title,
        placeholder: t('What is the new session called?'),
        value: this.#titleOf(session) ?? forkTitle(sessionLabel(session, t)),
      });
      if (name === null) return;
      await this.#fork(session, { ...cut, title: name.trim() === '' ? null : name.trim() });
    } finally {
      held.dispose();
    }
  }

  /** Forks at a row of a conversation that a panel shows. */
  async forkFromRow(session: NamedSession, place: RowPlace): Promise<void> {
    const { t } = this.#deps;
    const row = await this.#rowToForkAt(session, place);
    if (row === null) return;
    const isBefore = isPrompt(row) ? await this.#askBefore(t('Fork from “{0}”', shortWords(row, t))) : false;
    if (isBefore !== null) await this.#fork(session, { at: row.uuid, isBefore, title: this.#titleOf(session) });
  }

  /** Forks after a row of an open conversation, and opens the fork. */
  async forkAfter(session: NamedSession, place: RowPlace): Promise<void> {
    const row = await this.#rowToForkAt(session, place);
    if (row !== null)
      await this.#fork(session, { at: row.uuid, isBefore: false, title: this.#titleOf(session), isOpened: true });
  }

  /** Unlike that of any other session; null if the session has none. */
  #titleOf({ title }: NamedSession): string | null {
    return title === null ? null : forkTitle(title, this.#deps.titles());
  }

  /** Null after the person was told why nothing can be forked there. */
  async #rowToForkAt(
    session: NamedSession,
    { view, line }: RowPlace,
  ): Promise<(RowItem & { readonly uuid: string }) | null> {
    const { conversations, t } = this.#deps;
    const row = await rowAt(conversations, session.path, view, line);
    const uuid = row?.uuid ?? null;
    if (row !== null && uuid !== null && !row.isSidechain) return { ...row, uuid };
    this.#refuse(t('This message is no part of the session by itself, so nothing can be forked from it.'));
    return null;
  }

  async #cutAt(
    point: ForkPoint,
    filePath: string,
    title: string,
  ): Promise<{ readonly at: string | null; readonly isBefore: boolean } | null> {
    if (point.kind === 'end') return { at: null, isBefore: false };
    const { conversations, t } = this.#deps;
    const row = await rowAt(conversations, filePath, CHAIN, point.entry.line);
    if (typeof row?.uuid !== 'string') {
      this.#refuse(t('This prompt is not in the transcript any more.'));
      return null;
    }
    const isBefore = await this.#askBefore(title);
    return isBefore === null ? null : { at: row.uuid, isBefore };
  }

  /** null if the person cancels. */
  async #askBefore(title: string): Promise<boolean | null> {
    const { dialogs, t } = this.#deps;
    const placeholder = t('Where does the fork end?');
    const chosen = await dialogs.choose(promptChoices(t), { title, placeholder });
    return chosen?.isBefore ?? null;
  }

  async #fork(session: NamedSession, { isOpened = false, ...cut }: ForkCut): Promise<void> {
    const { forks, dialogs, log, onForked, open, t } = this.#deps;
    const { path: filePath } = session;
    const outcome = await dialogs.during(t('Forking “{0}”', sessionLabel(session, t)), () =>
      forks.fork({ session, ...cut }),
    );
    if (outcome.kind === 'refused') {
      log.warn(`No fork of ${filePath}: ${outcome.reason}: ${outcome.problem}`);
      this.#refuse(forkFailure(outcome.reason, t));
      return;
    }
    log.info(`Forked ${filePath} into ${outcome.result.filePath}: ${outcome.result.rowsCopied} rows`);
    onForked();
    if (outcome.warning !== null) void dialogs.notify('warning', outcome.warning);
    if (isOpened) {
      open({ filePath: outcome.result.filePath, line: null });
      dialogs.note(t('Forked “{0}”', sessionLabel(session, t)));
      return;
    }
    // The fork exists; the message can stay open, so it is not awaited.
    void this.#offer(session, outcome).catch((error: unknown) => {
      log.error(`Failed to go on with ${outcome.result.filePath}: ${String(error)}`);
    });
  }

  async #offer(session: NamedSession, outcome: ForkOutcome & { readonly kind: 'forked' }): Promise<void> {
    const { dialogs, info, open, resume, formats, t } = this.#deps;
    const { result, title } = outcome;
    const fork = { ...session, id: result.sessionId, path: result.filePath, title };
    // What Claude loads is counted in rows; people count messages.
    const counted = await info(fork).catch(() => null);
    const done = t('Forked “{0}”', sessionLabel(session, t));
    const [openConversation, resumeInTerminal] = [t('Open Conversation'), t('Resume in Terminal')];
    const message = counted === null ? done : `${done}: ${memoryNow(counted, formats, t)}`;
    const answer = await dialogs.notify('info', message, openConversation, resumeInTerminal);
    if (answer === openConversation) open({ filePath: fork.path, line: null });
    if (answer === resumeInTerminal) await resume(fork);
  }

  #refuse(message: string): void {
    void this.#deps.dialogs.notify('error', message);
  }
}

function shortWords(row: RowItem, t: Translate): string {
  const words = promptTextOf(row);
  return words === '' ? t('Without words') : shorten(words, MAX_PROMPT_CHARACTERS);
}

/** Where a fork ends: at the end of the resumed chain, or at a prompt. */
type ForkPoint = { readonly kind: 'end' } | { readonly kind: 'prompt'; readonly entry: OutlineEntry };

/** VS Code renders every item of a list, visible or not. */
const MAX_PROMPTS = 500;

/** Points to fork a session from: its end, and its prompts, latest first. */
function forkChoices(
  outline: readonly OutlineEntry[],
  nowMs: number,
  formats: Formats,
  t: Translate,
): readonly ChoiceGroup<ForkPoint>[] {
  const end = {
    value: { kind: 'end' } as const,
    label: t('From the end'),
    description: t('Everything that Claude remembers now'),
    icon: 'repo-forked',
  };
  const prompts = outline.slice(-MAX_PROMPTS).reverse();
  return [
    { heading: null, choices: [end] },
    {
      heading: t('From a prompt'),
      choices: prompts.map((entry) => ({
        value: { kind: 'prompt', entry },
        label: entry.label === '' ? t('Without words') : entry.label,
        icon: 'comment',
        description: [
          entry.timeMs === null ? null : formats.timeAgo(entry.timeMs, nowMs),
          entry.isLoaded ? null : t('Claude does not remember it now'),
        ]
          .filter((part) => part !== null)
          .join(' · '),
      })),
    },
  ];
}

/** Whether the fork includes the prompt. */
function promptChoices(t: Translate): readonly ChoiceGroup<{ readonly isBefore: boolean }>[] {
  return [
    {
      heading: null,
      choices: [
        {
          value: { isBefore: true },
          label: t('Before this prompt'),
          description: t('To ask something else'),
          icon: 'arrow-up',
        },
        {
          value: { isBefore: false },
          label: t('With this prompt'),
          description: t('To have it answered again'),
          icon: 'arrow-down',
        },
      ],
    },
  ];
}

/** One sentence why there is no fork, followed by advice if there is any. */
function forkFailure(reason: ForkFailureReason, t: Translate): string {
  switch (reason) {
    case 'unknown-row':
      return t('This message is no longer in the transcript.');
    case 'empty':
      return t('The fork would hold nothing: there is no message above this place.');
    case 'not-forkable':
      return t('Claude would not load from the fork what was cut, so that none was made. Repair the session first.');
    case 'missing':
      return t('The transcript is gone.');
    case 'unreadable':
      return t('The transcript cannot be read.');
    case 'read-only':
      return t('The folder of the transcript cannot be written to.');
    case 'no-space':
      return t('There is not enough space left on the disk. No fork was made.');
    case 'write-failed':
      return t('The fork could not be written.');
  }
}
