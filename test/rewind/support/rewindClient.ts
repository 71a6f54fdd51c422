import type { ClientPlace } from '../../support/realClient';
import { StreamClient } from '../../support/streamClient';

/** The client's answer to `rewind_files`. (docs/format.md, "File history") */
export interface ClientRewind {
  readonly canRewind: boolean;
  readonly error?: string;
  readonly filesChanged?: readonly string[];
  readonly insertions?: number;
  readonly deletions?: number;
  readonly skippedLinks?: number;
}

/** The real client with its file checkpoints on. */
export class RewindClient {
  readonly #stream: StreamClient;

  constructor(client: string, place: ClientPlace, args: readonly string[]) {
    this.#stream = new StreamClient({
      client,
      place,
      args: ['--permission-mode', 'bypassPermissions', ...args],
      env: { CLAUDE_CODE_ENABLE_SDK_FILE_CHECKPOINTING: '1' },
    });
  }

  /** Resolves when Claude's turn is over. `uuid`: the id of the prompt's row. */
  async prompt(text: string, uuid: string): Promise<void> {
    const over = this.#stream.next(({ type }) => type === 'result');
    this.#stream.sendPrompt(text, uuid);
    await over;
  }

  async rewind(promptUuid: string, isDryRun: boolean): Promise<ClientRewind> {
    const response = await this.#stream.control({
      subtype: 'rewind_files',
      user_message_id: promptUuid,
      dry_run: isDryRun,
    });
    // SAFETY: the answer to this request has this form.
    const answer = response?.response as ClientRewind | undefined;
    return answer ?? { canRewind: false, error: response?.error ?? 'no answer' };
  }

  async close(): Promise<void> {
    await this.#stream.close();
  }
}
