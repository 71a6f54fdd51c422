import { batch, effect, signal } from '@preact/signals';
import type {
  PanelCalls,
  PanelStart,
  RepairAnswer,
  RepairProposal,
  RepairSeam,
} from '../../../protocol/channels/panel';
import { type Finding, isForRepair, type RepairScope } from '../../../protocol/repair';
import type { ConversationStore } from '../state/conversationStore';

/** What the page is doing about a repair. */
type RepairWork = 'none' | 'checking' | 'repairing' | 'undoing';

/** Why a repair, or its undo, was not done. */
interface Refusal {
  readonly of: 'repair' | 'undo';
  readonly why: string;
  /** A client may be running the session, and the person can accept the risk. */
  readonly canInsist: boolean;
}

const NO_REVISION = -1;
/** A large transcript is copied and checked before it is replaced. In milliseconds. */
const CHANGE_MS = 120_000;
/** A change of the transcript is seen within about a second. In milliseconds. */
const SEEN_MS = 5_000;

/** The repair of the session: what it would do, and what was done. The extension does the work. */
export class RepairState {
  /** What a repair would do to the transcript as it is; null until that is known. */
  readonly proposal = signal<RepairProposal | null>(null);
  readonly work = signal<RepairWork>('none');
  readonly refusal = signal<Refusal | null>(null);
  /** The repair that can be undone; null if there is none. */
  readonly seam;
  /** The person asked for the repair of a conversation that shows no break. */
  readonly isOfferedAbove = signal(false);
  /** What takes the focus once it is shown. */
  readonly focusNext = signal<'offer' | 'seam' | null>(null);
  /** Null until the person shows or hides it: the change of a content is shown, that of a link is not. */
  readonly isChangeShown = signal<boolean | null>(null);
  /** Which repair is proposed. */
  readonly scope = signal<RepairScope>('all');
  readonly #host: PanelCalls;
  readonly #store: ConversationStore;
  /** The revision that the proposal is about. */
  #revision = NO_REVISION;

  constructor(host: PanelCalls, store: ConversationStore, { seam }: Pick<PanelStart, 'seam'>) {
    this.#host = host;
    this.#store = store;
    this.seam = signal(seam);
  }

  /** Shows the repair where the history is broken, or above the conversation, as one that is asked for by its name always is. */
  async offer(scope: RepairScope): Promise<void> {
    this.#setScope(scope);
    const store = this.#store;
    if (store.view.peek().kind !== 'chain') await store.switchView({ kind: 'chain' });
    if (scope === 'all') await store.goToBreak();
    batch(() => {
      this.isOfferedAbove.value = scope !== 'all' || !store.isAtBreak;
      this.focusNext.value = 'offer';
    });
  }

  /** The person does not want the repair that is offered above the conversation. */
  dismiss(): void {
    this.isOfferedAbove.value = false;
    this.#setScope('all');
  }

  #setScope(scope: RepairScope): void {
    if (this.scope.peek() === scope) return;
    batch(() => {
      this.scope.value = scope;
      [this.proposal.value, this.refusal.value, this.isChangeShown.value] = [null, null, null];
    });
    this.#revision = NO_REVISION;
  }

  /** Asks what a repair would do, unless that is known. */
  async propose(): Promise<void> {
    const { revision, isLive } = this.#store.head.peek();
    if (this.#revision === revision || this.work.peek() !== 'none') return;
    // A plan reads the whole transcript. While a client adds to it, nothing is repaired, so one plan is enough.
    if (isLive && this.#revision !== NO_REVISION) return;
    this.#revision = revision;
    const scope = this.scope.peek();
    const isCurrent = (): boolean => this.scope.peek() === scope;
    await this.#do('checking', async () => {
      const proposal = await this.#host.repairProposal(scope);
      if (isCurrent()) this.proposal.value = proposal;
    });
    // The file has changed in the meantime, or another repair is asked for.
    if (this.#store.head.peek().revision !== revision || !isCurrent()) await this.propose();
  }

  /** The session was repaired, or a repair was undone, here or elsewhere. */
  take(seam: RepairSeam | null): void {
    this.seam.value = seam;
    this.#store.expectRepair(SEEN_MS);
  }

  repair(isInsisted: boolean): Promise<void> {
    return this.#change('repair', () => this.#host.repair(this.scope.peek(), isInsisted));
  }

  undo(isInsisted: boolean): Promise<void> {
    return this.#change('undo', () => this.#host.undoRepair(isInsisted));
  }

  async #change(of: Refusal['of'], change: () => Promise<RepairAnswer>): Promise<void> {
    if (this.work.peek() !== 'none') return;
    this.refusal.value = null;
    const { revision } = this.#store.head.peek();
    this.#store.expectRepair(CHANGE_MS);
    await this.#do(of === 'repair' ? 'repairing' : 'undoing', async () => {
      const answer = await change();
      batch(() => {
        if (answer.kind === 'refused') {
          this.#store.expectRepair(0);
          this.refusal.value = { of, ...answer };
        } else {
          this.dismiss();
          this.isChangeShown.value = null;
          this.#focusAfter(revision, of === 'repair' ? 'seam' : 'offer');
        }
      });
    });
  }

  /** The list is drawn anew when the change of the file arrives, and an element that has the focus before would lose it. */
  #focusAfter(revision: number, next: 'offer' | 'seam'): void {
    const stop = effect(() => {
      if (this.#store.head.value.revision === revision) return;
      this.focusNext.value = next;
      queueMicrotask(() => {
        stop();
      });
    });
  }

  async #do(work: RepairWork, action: () => Promise<void>): Promise<void> {
    this.work.value = work;
    try {
      await action();
    } catch (error) {
      this.#revision = NO_REVISION;
      this.#store.undone.value = error instanceof Error ? error.message : String(error);
    } finally {
      this.work.value = 'none';
    }
  }
}

/** Whether a repair is offered without being asked for. */
export function isRepairable(findings: readonly Finding[]): boolean {
  return findings.some(isRepairableError);
}

export function isRepairableError(finding: Finding): boolean {
  return finding.severity === 'error' && isForRepair(finding);
}
