import { type ReadonlySignal, type Signal, signal } from '@preact/signals';
import type { ListedFile, RewindNavigation } from '../../protocol/channels/rewindView';

/** A list of files to choose from. */
export interface FilesToChoose {
  /** What the list is about: the prompt, or the undoing. */
  readonly about: string;
  readonly token: string;
  readonly files: readonly ListedFile[];
}

const NONE: Pick<RewindNavigation, 'checked' | 'unchecked'> = { checked: [], unchecked: [] };

/** Which files the person has chosen, and the one whose diff is shown. */
export class FileChoice {
  readonly #navigation: Signal<RewindNavigation | null>;

  constructor(kept: RewindNavigation | null) {
    this.#navigation = signal(kept);
  }

  /** Null before the first list. */
  get navigation(): ReadonlySignal<RewindNavigation | null> {
    return this.#navigation;
  }

  get shownPath(): string | null {
    return this.#navigation.value?.shownPath ?? null;
  }

  /**
   * Takes a list of files, which may replace another one. What was unchecked in a list about the same stays unchecked. What
   * was checked has to be checked again, because the reason for which it was not may be another one.
   */
  take({ about, token, files }: FilesToChoose): void {
    const kept = this.#navigation.peek();
    if (kept?.token === token) return;
    const isSame = kept?.about === about;
    const has = (path: string): boolean => files.some((file) => file.path === path);
    const shownPath = isSame && kept.shownPath !== null && has(kept.shownPath) ? kept.shownPath : null;
    this.#navigation.value = {
      about,
      token,
      checked: [],
      unchecked: isSame ? kept.unchecked.filter(has) : [],
      shownPath: shownPath ?? files[0]?.path ?? null,
    };
  }

  isChecked({ path, group }: ListedFile): boolean {
    const { checked, unchecked } = this.#navigation.value ?? NONE;
    if (group === 'left') return false;
    return group === 'changing' ? !unchecked.includes(path) : checked.includes(path);
  }

  /** Checks or unchecks files, except those that cannot be changed. */
  check(files: readonly ListedFile[], isChecked: boolean): void {
    const kept = this.#navigation.peek();
    if (kept === null) return;
    const pathsOf = (isByDefault: boolean): ReadonlySet<string> =>
      new Set(
        files.flatMap(({ path, group }) => (group !== 'left' && (group === 'changing') === isByDefault ? [path] : [])),
      );
    const [byDefault, named] = [pathsOf(true), pathsOf(false)];
    const without = (paths: readonly string[], removed: ReadonlySet<string>): string[] =>
      paths.filter((path) => !removed.has(path));
    this.#navigation.value = {
      ...kept,
      checked: [...without(kept.checked, named), ...(isChecked ? named : [])],
      unchecked: [...without(kept.unchecked, byDefault), ...(isChecked ? [] : byDefault)],
    };
  }

  chosen(files: readonly ListedFile[]): readonly ListedFile[] {
    return files.filter((file) => this.isChecked(file));
  }

  show(path: string): void {
    const kept = this.#navigation.peek();
    if (kept !== null && kept.shownPath !== path) this.#navigation.value = { ...kept, shownPath: path };
  }
}
