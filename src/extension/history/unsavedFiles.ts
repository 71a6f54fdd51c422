import { pathList } from './rewindText';
import type { Services } from '../services';

/** Editors with unsaved changes. */
export interface Editors {
  /** Those of the given files with unsaved changes, by the paths given. */
  unsaved(paths: readonly string[]): Promise<readonly string[]>;
  /** Saves as many as possible. */
  save(paths: readonly string[]): Promise<void>;
}

export interface UnsavedFilesDeps extends Pick<Services, 'dialogs' | 'formats' | 't'> {
  readonly editors: Editors;
  readonly displayPath: (path: string) => string;
}

/** Makes sure that no file with unsaved edits is changed on disk: it is saved first, or nothing happens. */
export class UnsavedFiles {
  readonly #deps: UnsavedFilesDeps;

  constructor(deps: UnsavedFilesDeps) {
    this.#deps = deps;
  }

  /** `clean`: nothing to save. `refused`: the person declined, or saving failed. */
  async settle(paths: readonly string[]): Promise<'clean' | 'saved' | 'refused'> {
    const { editors, dialogs, displayPath, formats, t } = this.#deps;
    const unsaved = await editors.unsaved(paths);
    if (unsaved.length === 0) return 'clean';
    const saveAll = t('Save All');
    const answer = await dialogs.ask({
      kind: 'warning',
      message:
        unsaved.length === 1
          ? t('1 of the files has changes that are not saved.')
          : t('{0} of the files have changes that are not saved.', formats.number(unsaved.length)),
      detail: pathList(unsaved, displayPath, t),
      buttons: [saveAll],
    });
    if (answer !== saveAll) return 'refused';
    await editors.save(unsaved);
    const left = await editors.unsaved(unsaved);
    if (left.length === 0) return 'saved';
    void dialogs.notify('error', t('Not every file could be saved, so that none was changed.'));
    return 'refused';
  }
}
