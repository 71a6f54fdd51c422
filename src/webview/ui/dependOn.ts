import type { ReadonlySignal } from '@preact/signals';

/** The effect, or the component, that calls it runs again when one of the signals changes. */
export function dependOn(...signals: readonly ReadonlySignal<unknown>[]): void {
  signals.forEach((signal) => signal.value);
}
