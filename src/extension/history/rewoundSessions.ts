import type { RewindCalls } from '../../protocol/channels/history';
import { Disposable, Emitter, type Listen } from '../lifetime';
import type { Services } from '../services';

export interface RewoundSessionsDeps extends Pick<Services, 'log'> {
  readonly rewinds: Pick<RewindCalls, 'rewoundSessions'>;
  /** Fires when the sessions were listed, including the first time. */
  readonly onListed: Listen<unknown>;
  readonly isListed: () => boolean;
}

/** Tracks which sessions have a rewind that can be undone. The state on disk counts, including rewinds by other windows. */
export class RewoundSessions extends Disposable {
  readonly #deps: RewoundSessionsDeps;
  readonly #changed = this._register(new Emitter<void>());
  #ids: ReadonlySet<string> = new Set();
  #isRequested = false;

  readonly onChange = this.#changed.event;

  constructor(deps: RewoundSessionsDeps) {
    super();
    this.#deps = deps;
    this._register(
      deps.onListed(() => {
        if (this.#isRequested || !deps.isListed()) return;
        this.#isRequested = true;
        void this.refresh();
      }),
    );
  }

  has(sessionId: string): boolean {
    return this.#ids.has(sessionId);
  }

  get isEmpty(): boolean {
    return this.#ids.size === 0;
  }

  /** Never rejects: on an error, the previous state remains. */
  async refresh(): Promise<void> {
    const { rewinds, log } = this.#deps;
    try {
      const ids = await rewinds.rewoundSessions();
      if (this.isDisposed) return;
      const isSame = ids.length === this.#ids.size && ids.every((id) => this.#ids.has(id));
      this.#ids = new Set(ids);
      if (!isSame) this.#changed.fire();
    } catch (error) {
      if (!this.isDisposed) log.warn(`Failed to find out which rewinds can be undone: ${String(error)}`);
    }
  }
}
