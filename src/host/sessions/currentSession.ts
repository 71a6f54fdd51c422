import { Disposable } from '../lifetime/disposable';
import { Emitter, type Listen } from '../lifetime/emitter';
import type { ShownSession } from './sessionFocus';

export interface CurrentSessionParts {
  readonly panels: { readonly shown: readonly ShownSession[]; readonly onShownChange: Listen<void> };
  /** Transcripts of the sessions that are selected in the tree. */
  readonly selection: () => readonly string[];
  readonly onSelectionChange: Listen<unknown>;
}

/** The session that the views beside the tree are about: that of the conversation in front, else the one selected. */
export class CurrentSession extends Disposable {
  readonly #parts: CurrentSessionParts;
  readonly #changed = this._register(new Emitter<void>());
  #told: string | null = null;

  /** Another session is the current one, or none is. */
  readonly onChange = this.#changed.event;

  constructor(parts: CurrentSessionParts) {
    super();
    this.#parts = parts;
    const look = (): void => {
      const { filePath } = this;
      if (filePath === this.#told) return;
      this.#told = filePath;
      this.#changed.fire();
    };
    this._register(parts.panels.onShownChange(look));
    this._register(parts.onSelectionChange(look));
    this.#told = this.filePath;
  }

  /** Absolute path of its transcript. */
  get filePath(): string | null {
    const { panels, selection } = this.#parts;
    const { shown } = panels;
    const inFront = shown.find(({ place }) => place === 'active') ?? shown.find(({ place }) => place === 'visible');
    return inFront?.filePath ?? selection()[0] ?? null;
  }
}
