import type { SessionFocus } from '../../protocol/channels/sessions';
import { Disposable, Emitter, type Listen } from '../lifetime';

export interface CurrentSessionDeps {
  readonly panels: { readonly shown: readonly ShownSession[]; readonly onShownChange: Listen<void> };
  /** Transcripts of the sessions selected in the tree. */
  readonly selection: () => readonly string[];
  readonly onSelectionChange: Listen<unknown>;
}

/** The session that the views beside the tree show: that of the active conversation, otherwise the selected one. */
export class CurrentSession extends Disposable {
  readonly #deps: CurrentSessionDeps;
  readonly #changed = this._register(new Emitter<void>());
  #lastFilePath: string | null = null;

  /** Fires when another session, or none, became the current one. */
  readonly onChange = this.#changed.event;

  constructor(deps: CurrentSessionDeps) {
    super();
    this.#deps = deps;
    const update = (): void => {
      const { filePath } = this;
      if (filePath === this.#lastFilePath) return;
      this.#lastFilePath = filePath;
      this.#changed.fire();
    };
    this._register(deps.panels.onShownChange(update));
    this._register(deps.onSelectionChange(update));
    this.#lastFilePath = this.filePath;
  }

  /** Absolute path of its transcript. */
  get filePath(): string | null {
    const { panels, selection } = this.#deps;
    const { shown } = panels;
    const inFront = shown.find(({ place }) => place === 'active') ?? shown.find(({ place }) => place === 'visible');
    return inFront?.filePath ?? selection()[0] ?? null;
  }
}

/** A group of editors, with the transcripts that its tabs show; null for tabs that show none. */
export interface TabGroup {
  readonly isActive: boolean;
  readonly tabs: readonly { readonly isActive: boolean; readonly filePath: string | null }[];
}

/** A session in a panel; the tab API cannot tell which tab shows it. */
export interface ShownSession {
  readonly filePath: string;
  readonly place: keyof SessionFocus;
}

/** Determines which sessions the person has open: the focused tab, other visible tabs, and hidden tabs. */
export function sessionFocus(groups: readonly TabGroup[], panels: readonly ShownSession[] = []): SessionFocus {
  const inPanels = (place: keyof SessionFocus): string[] =>
    panels.filter((panel) => panel.place === place).map(({ filePath }) => filePath);
  const active = inPanels('active');
  const visible = inPanels('visible');
  const background = inPanels('background');
  for (const group of groups) {
    for (const { isActive, filePath } of group.tabs) {
      if (filePath === null) continue;
      if (isActive) (group.isActive ? active : visible).push(filePath);
      else background.push(filePath);
    }
  }
  return { active, visible, background };
}
