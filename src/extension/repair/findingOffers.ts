import { access } from 'node:fs/promises';
import type { ConversationCalls } from '../../protocol/channels/conversation';
import { type ConversationView, PAGE_ITEMS, type PanelItem } from '../../protocol/conversation';
import { type Finding, type FindingOffer, WRONG_LEAF } from '../../protocol/repair';
import type { SessionRef } from '../../protocol/session';
import type { ConversationTarget } from '../conversation/conversationAddresses';
import { isPrompt, promptTextOf } from '../conversation/rowAt';
import type { DisposableLike } from '../lifetime';
import type { Services } from '../services';
import type { NamedSession } from '../sessions/sessionsState';
import { shorten } from '../text/formats';
import { sessionLabel } from '../text/sessionTitle';
import type { Translate } from '../text/translate';
import type { Choice } from '../window/dialogs';

export interface FindingOffersDeps extends Pick<Services, 'dialogs' | 'formats' | 'now' | 't'> {
  readonly findingsOf: (session: SessionRef) => Promise<readonly Finding[]>;
  readonly conversations: Pick<ConversationCalls, 'openConversation' | 'conversationItems'>;
  /** Keeps a conversation open until the result is disposed. */
  readonly hold: (filePath: string) => DisposableLike;
  readonly open: (target: ConversationTarget) => void;
  /** Forks a session after the message on a line, and opens the fork. */
  readonly forkAt: (session: NamedSession, line: number) => Promise<void>;
}

/** In a list, a line has room for about as much. */
const MAX_WORDS = 80;

/** Does what findings offer: what only a person can choose. */
export class FindingOffers {
  readonly #deps: FindingOffersDeps;

  constructor(deps: FindingOffersDeps) {
    this.#deps = deps;
  }

  /** Takes what the findings of a session offer; if that is several things, the person chooses one. */
  async resolve(session: NamedSession): Promise<void> {
    const { dialogs, findingsOf, t } = this.#deps;
    const offers = (await withOriginals(await findingsOf(session))).flatMap(({ offer, message }) =>
      offer === undefined ? [] : [{ value: offer, label: offerName(offer, t), detail: message }],
    );
    const [first] = offers;
    if (first === undefined) {
      dialogs.note(t('Nothing in this session waits for a choice'));
      return;
    }
    const title = t('Resolve Finding of “{0}”', sessionLabel(session, t));
    const placeholder = t('What is to be done?');
    const offer =
      offers.length === 1
        ? first.value
        : await dialogs.choose([{ heading: null, choices: offers }], { title, placeholder });
    if (offer !== null) await this.take(session, offer);
  }

  async take(session: NamedSession, offer: FindingOffer): Promise<void> {
    switch (offer.kind) {
      case 'choose-branch':
        return this.#chooseBranch(session, offer.line);
      case 'fork-newest':
        return this.#deps.forkAt(session, offer.line);
      case 'open-original':
        this.#deps.open({ filePath: offer.filePath, line: null });
        return;
      case 'fork-branch':
        return this.#fork(session, offer.lines);
    }
  }

  /** The branch with the newest messages is not switched to before the person has seen the change. */
  async #chooseBranch(session: NamedSession, newestLine: number): Promise<void> {
    const { dialogs, open, t } = this.#deps;
    const [newest, current] = await this.#branches(session, [
      { kind: 'branch', leafLine: newestLine },
      { kind: 'chain' },
    ]);
    if (newest === undefined || current === undefined) return;
    const choices = [
      choiceOf(newest, 'newest', 'sparkle', t('The newest messages, which Claude does not remember')),
      choiceOf(current, 'current', 'history', t('The branch that Claude resumes now')),
    ];
    const chosen = await dialogs.choose([{ heading: null, choices }], {
      title: t('Go On With “{0}”', sessionLabel(session, t)),
      placeholder: t('With which messages does Claude go on?'),
    });
    if (chosen === 'newest') open({ filePath: session.path, line: null, offersRepair: WRONG_LEAF });
    if (chosen === 'current') {
      void dialogs.notify('info', t('Nothing was changed: this is the branch that Claude resumes.'));
    }
  }

  async #fork(session: NamedSession, lines: readonly number[]): Promise<void> {
    const { dialogs, forkAt, t } = this.#deps;
    const [only] = lines;
    if (only !== undefined && lines.length === 1) return forkAt(session, only);
    const branches = await this.#branches(
      session,
      lines.map((leafLine) => ({ kind: 'branch', leafLine })),
    );
    const choices = branches.map((branch, at) => choiceOf(branch, lines[at] ?? 0, 'git-branch'));
    const line = await dialogs.choose([{ heading: null, choices }], {
      title: t('Fork “{0}”', sessionLabel(session, t)),
      placeholder: t('Which conversation goes on in a session of its own?'),
    });
    if (line !== null) await forkAt(session, line);
  }

  async #branches(session: NamedSession, views: readonly ConversationView[]): Promise<readonly Branch[]> {
    const { conversations, dialogs, formats, hold, now, t } = this.#deps;
    const { path: filePath } = session;
    const held = hold(filePath);
    try {
      return await dialogs.during(t('Reading “{0}”', sessionLabel(session, t)), async () => {
        const branches: Branch[] = [];
        for (const view of views) {
          const { count, problem } = await conversations.openConversation(filePath, view);
          if (problem !== null) throw new Error(`Failed to read the conversation: ${problem}`);
          const from = Math.max(0, count - PAGE_ITEMS);
          const { items } = await conversations.conversationItems(filePath, view, from, PAGE_ITEMS);
          const { words, prompt, timeMs } = endOf(items, t);
          branches.push({ words, prompt, age: timeMs === null ? null : formats.timeAgo(timeMs, now()) });
        }
        return branches;
      });
    } finally {
      held.dispose();
    }
  }
}

/** What a link or a list calls the offer. */
export function offerName({ kind }: FindingOffer, t: Translate): string {
  switch (kind) {
    case 'choose-branch':
      return t('Choose Branch');
    case 'fork-newest':
      return t('Fork at Newest Messages');
    case 'open-original':
      return t('Open Original');
    case 'fork-branch':
      return t('Fork Other Branch');
  }
}

/** What tells branches apart. */
interface Branch {
  readonly words: string;
  /** The last prompt; null if it is further up. */
  readonly prompt: string | null;
  readonly age: string | null;
}

/** All but the last words is on the second line: long words would cut off what is beside them. */
function choiceOf<T>({ words, prompt, age }: Branch, value: T, icon: string, meaning: string | null = null): Choice<T> {
  const facts = [meaning, age, prompt === null ? null : `“${prompt}”`];
  return { value, icon, label: words, detail: facts.filter((fact) => fact !== null).join(' · ') };
}

/** The last words and the last prompt of a conversation, and the time of its last message. */
function endOf(
  items: readonly PanelItem[],
  t: Translate,
): Pick<Branch, 'words' | 'prompt'> & { readonly timeMs: number | null } {
  const rows = items.flatMap((item) => (item.kind === 'row' ? [item] : item.kind === 'steps' ? item.rows : []));
  const timeMs = rows.findLast((row) => row.timeMs !== null)?.timeMs ?? null;
  const words = rows.map(promptTextOf).findLast((text) => text !== '');
  const prompt = rows.findLast(isPrompt);
  return {
    words: words === undefined ? t('Without words') : shorten(words, MAX_WORDS),
    prompt: prompt === undefined ? null : shorten(promptTextOf(prompt), MAX_WORDS),
    timeMs,
  };
}

/** The findings, without the offer of an original that is not on the disk any more. */
export async function withOriginals(findings: readonly Finding[]): Promise<readonly Finding[]> {
  return Promise.all(
    findings.map(async (finding) => {
      if (finding.offer?.kind !== 'open-original') return finding;
      const { offer, ...rest } = finding;
      return (await isThere(offer.filePath)) ? finding : rest;
    }),
  );
}

async function isThere(filePath: string): Promise<boolean> {
  try {
    await access(filePath);
    return true;
  } catch {
    return false;
  }
}
