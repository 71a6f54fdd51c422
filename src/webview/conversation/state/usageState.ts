import { batch, computed, effect, type ReadonlySignal, signal } from '@preact/signals';
import type { PanelCalls, PanelUsage } from '../../../protocol/channels/panel';
import type { Finding } from '../../../protocol/repair';
import { dependOn } from '../../ui/texts';
import type { ConversationStore } from './conversationStore';

/** The count reads the transcript in the thread that also reads what the person scrolls to, so it comes after the first screen. */
const FIRST_MS = 500;
/** A session that grows by the second is counted at most this often. */
const PAUSE_MS = 3000;
/** What resuming means changes within an hour; a longer timer would only be the mark of a wrong clock. */
const MAX_WAIT_MS = 2 * 60 * 60_000;

/** What the session used, counted once its first screen is complete, and again while it grows and when a part of its cache expires. */
export class UsageState {
  /** Null until it was counted, and for what has no usage of its own, such as a subagent. */
  readonly usage = signal<PanelUsage | null>(null);

  /** What resuming means; null if that is not known, or the file was replaced since, as by a repair. */
  readonly preflight: ReadonlySignal<PanelUsage['preflight']>;

  /** Everything that is known to be wrong with the transcript as it is, the worst first. */
  readonly findings: ReadonlySignal<readonly Finding[]>;

  readonly #host: Pick<PanelCalls, 'usage'>;
  readonly #head: ConversationStore['head'];
  /** The transcript that was counted: its revision, and how often it had been replaced. */
  readonly #counted = signal({ revision: -1, replacements: -1 });
  #isCounting = false;
  /** The transcript changed since the last count began. */
  #isOutdated = false;
  #expiry: ReturnType<typeof setTimeout> | undefined;

  constructor(host: Pick<PanelCalls, 'usage'>, store: Pick<ConversationStore, 'isShown' | 'head'>) {
    this.#host = host;
    this.#head = store.head;
    this.preflight = computed(() => {
      const isOther = this.#counted.value.replacements !== store.head.value.replacements;
      return isOther ? null : (this.usage.value?.preflight ?? null);
    });
    this.findings = computed(() => {
      const { findings, revision } = store.head.value;
      const close = this.#counted.value.revision === revision ? (this.usage.value?.findings ?? []) : [];
      const more = close.filter(({ message }) => findings.every((known) => known.message !== message));
      return more.length === 0 ? findings : [...findings, ...more].sort((a, b) => rank(a) - rank(b));
    });
    effect(() => {
      dependOn(store.head);
      if (store.isShown.value) this.#countSoon();
    });
  }

  #countSoon(): void {
    this.#isOutdated = true;
    if (this.#isCounting) return;
    this.#isCounting = true;
    setTimeout(() => void this.#count(), this.usage.peek() === null ? FIRST_MS : 0);
  }

  #countAt(timeMs: number | null): void {
    clearTimeout(this.#expiry);
    if (timeMs === null) return;
    const waitMs = Math.min(Math.max(timeMs - Date.now(), PAUSE_MS), MAX_WAIT_MS);
    this.#expiry = setTimeout(() => {
      this.#countSoon();
    }, waitMs);
  }

  async #count(): Promise<void> {
    this.#isOutdated = false;
    try {
      const { revision, replacements } = this.#head.peek();
      const usage = await this.#host.usage();
      batch(() => {
        this.usage.value = usage;
        this.#counted.value = { revision, replacements };
      });
      this.#countAt(this.usage.value?.preflight?.changesAtMs ?? null);
    } catch {
      // The extension has logged why. The figures are an extra: the header is complete without them.
    }
    setTimeout(() => {
      this.#isCounting = false;
      if (this.#isOutdated) this.#countSoon();
    }, PAUSE_MS);
  }
}

function rank({ severity }: Finding): number {
  return ['error', 'warning', 'info'].indexOf(severity);
}
