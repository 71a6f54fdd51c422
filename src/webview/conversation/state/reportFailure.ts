import type { Signal } from '@preact/signals';

/** Does the work; where it cannot be done, `failure` says why, in the words of the host. Never rejects. */
export async function reportFailure(failure: Signal<string | null>, work: () => Promise<void>): Promise<void> {
  try {
    await work();
  } catch (error) {
    failure.value = error instanceof Error ? error.message : String(error);
  }
}
