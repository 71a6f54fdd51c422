import type { JsonObject } from '../../util/json';
import type { SessionFacts } from './sessionFacts';
import type { SessionKeeper } from './sessionKeeper';
import type { MutatingCall, StoredCheckpoint, StoredMessage } from './storedRow';

/** A session of ours that is open. Several may be open on one session, in any threads and processes. */
export class StoredSession {
  readonly #messages: StoredMessage[];
  /** The message that the next one follows, though it is not the last one that was kept. */
  #after: string | null;

  constructor(
    readonly facts: SessionFacts,
    private readonly keeper: SessionKeeper,
    loaded: {
      readonly messages: readonly StoredMessage[];
      /** Lines that are no message: cut when their writer died. */
      readonly torn: number;
      readonly after: string | null;
    },
  ) {
    this.#messages = [...loaded.messages];
    this.#after = loaded.after;
    this.torn = loaded.torn;
  }

  readonly torn: number;

  /** Those that were there when it was opened, and those that were appended here since. */
  get messages(): readonly StoredMessage[] {
    return this.#messages;
  }

  /**
   * Keeps a message. Rejects with a StoreError when it could not be kept; nothing but this message is lost then.
   *
   * @param uuid one is drawn without it
   */
  async append(body: JsonObject, uuid?: string): Promise<StoredMessage> {
    const message = { uuid: uuid ?? this.keeper.draw(), timeMs: this.keeper.now(), body };
    const after = this.#after;
    this.#after = null;
    try {
      await this.keeper.addMessage({ ...message, after });
    } catch (error) {
      this.#after ??= after;
      throw error;
    }
    this.#messages.push(message);
    return message;
  }

  /** Keeps a row of the full stream, for audit; it is no message. Rejects with a StoreError. */
  async record(entry: JsonObject): Promise<void> {
    await this.keeper.addToTranscript(entry);
  }

  /**
   * Keeps the state of the files that a tool call is about to change; null for a session that keeps nothing. What could not
   * be kept of them is said in the checkpoint. Rejects with a StoreError when the checkpoint itself could not be kept.
   *
   * @param paths absolute
   */
  async checkpoint(call: MutatingCall, paths: readonly string[]): Promise<StoredCheckpoint | null> {
    return this.keeper.addCheckpoint(call, paths);
  }
}
