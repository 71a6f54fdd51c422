import * as vscode from 'vscode';
import type { SessionFocus } from '../../protocol/channels/sessions';
import { Disposable, type Listen } from '../lifetime';
import type { Services } from '../services';
import { sessionFocus, type ShownSession } from './currentSession';

/** Where the person has sessions open, other than in tabs. */
export interface FocusSource {
  readonly shown: readonly ShownSession[];
  readonly onShownChange: Listen<void>;
}

/** Where the person sees sessions. */
export interface Surface {
  readonly isVisible: boolean;
  readonly onChange: Listen<void>;
}

/** Notifies the worker which sessions the person has open, so that it handles those first. */
export class FocusWatch extends Disposable {
  #lastSent: SessionFocus = { active: [], visible: [], background: [] };

  constructor(
    private readonly services: Services,
    private readonly sources: readonly FocusSource[],
    private readonly surface: Surface,
  ) {
    super();
    const update = (): void => {
      this.#update();
    };
    this._register(vscode.window.tabGroups.onDidChangeTabs(update));
    this._register(vscode.window.tabGroups.onDidChangeTabGroups(update));
    this._register(vscode.window.onDidChangeWindowState(update));
    this._register(surface.onChange(update));
    for (const source of sources) this._register(source.onShownChange(update));
    update();
  }

  /** Absolute paths of the transcripts that come first, the most urgent first. */
  get paths(): readonly string[] {
    const { active, visible, background } = this.#lastSent;
    return [...new Set([...active, ...visible, ...background])];
  }

  #update(): void {
    const groups = vscode.window.tabGroups.all.map(({ isActive, tabs }) => ({
      isActive,
      tabs: tabs.map((tab) => ({
        isActive: tab.isActive,
        filePath: tab.input instanceof vscode.TabInputText ? transcriptOf(tab.input.uri) : null,
      })),
    }));
    const shown = this.sources.flatMap((source) => source.shown);
    const tabs = sessionFocus(groups, shown);
    const focus: SessionFocus = { ...tabs, isHidden: !this.surface.isVisible, isAway: !vscode.window.state.focused };
    if (JSON.stringify(focus) === JSON.stringify(this.#lastSent)) return;
    this.#lastSent = focus;
    this.services.client.prioritise(focus);
  }
}

/** The transcript that an editor shows; null for any other file. */
function transcriptOf({ scheme, path, fsPath }: vscode.Uri): string | null {
  return scheme === 'file' && path.endsWith('.jsonl') ? fsPath : null;
}
