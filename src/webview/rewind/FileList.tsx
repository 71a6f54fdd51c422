import type { JSX } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import { FILE_GROUPS, type FileGroup, type ListedFile } from '../../protocol/channels/rewindView';
import { VisibleText } from '../blocks/parts/VisibleText';
import { moveFocus } from '../ui/Menu';
import type { Formats, Translate } from '../ui/texts';
import { useApp } from './rewindApp';

export interface FileListProps {
  readonly files: readonly ListedFile[];
  readonly isUndo: boolean;
}

/** The files with their boxes, by group. The arrow keys move through all of them, and Space checks or unchecks one. */
export function FileList({ files, isUndo }: FileListProps): JSX.Element {
  const { choice, view } = useApp();
  const unsaved = new Set(view.value.unsaved);
  const shownPath = files.some(({ path }) => path === choice.shownPath) ? choice.shownPath : (files[0]?.path ?? null);
  return (
    <div
      class="files"
      onKeyDown={(event) => {
        if (!(event.target instanceof Element) || !event.target.matches('.file')) return;
        if (moveFocus(event, event.currentTarget, '.file', 'vertical')) event.preventDefault();
      }}
    >
      {FILE_GROUPS.map((group) => {
        const ofGroup = files.filter((file) => file.group === group);
        if (ofGroup.length === 0) return null;
        return (
          <section key={group} class="file-group" aria-labelledby={`group-${group}`}>
            <GroupHead group={group} files={ofGroup} isUndo={isUndo} />
            <ul class="file-rows">
              {ofGroup.map((file) => (
                <FileRow
                  key={file.path}
                  file={file}
                  isFocusable={file.path === shownPath}
                  hasDiff={!isUndo}
                  isUnsaved={unsaved.has(file.path)}
                />
              ))}
            </ul>
          </section>
        );
      })}
    </div>
  );
}

interface GroupHeadProps extends FileListProps {
  readonly group: FileGroup;
}

function GroupHead({ group, files, isUndo }: GroupHeadProps): JSX.Element {
  const { formats, t } = useApp();
  const count = <span class="file-count">{formats.number(files.length)}</span>;
  // The other files change only if the person names each of them.
  const isForAll = group === 'changing' && files.length > 1;
  const hint = groupHint(group, t);
  return (
    <>
      <h2 class="group-head" id={`group-${group}`}>
        {isForAll ? (
          <label class="group-label">
            <AllBox files={files} />
            <span>{groupName(group, isUndo, t)}</span>
            {count}
          </label>
        ) : (
          <>
            {groupName(group, isUndo, t)}
            {count}
          </>
        )}
      </h2>
      {hint !== null && <p class="group-hint">{hint}</p>}
    </>
  );
}

/** Checks or unchecks all files of a group. */
function AllBox({ files }: { files: readonly ListedFile[] }): JSX.Element {
  const { choice, view } = useApp();
  const input = useRef<HTMLInputElement>(null);
  const count = choice.chosen(files).length;
  const isMixed = count > 0 && count < files.length;
  useEffect(() => {
    if (input.current !== null) input.current.indeterminate = isMixed;
  }, [isMixed]);
  return (
    <input
      ref={input}
      type="checkbox"
      class="box"
      checked={count === files.length}
      disabled={view.value.busy !== null}
      onChange={() => {
        choice.check(files, count < files.length);
      }}
    />
  );
}

function groupName(group: FileGroup, isUndo: boolean, t: Translate): string {
  switch (group) {
    case 'changing':
      return isUndo ? t('Files that go back') : t('Files that change');
    case 'doubtful':
      return t('With a copy that may have been altered');
    case 'outside':
      return t('Outside the open folders');
    case 'sensitive':
      return t('Sensitive');
    case 'left':
      return t('Left alone');
  }
}

function groupHint(group: FileGroup, t: Translate): string | null {
  switch (group) {
    case 'doubtful':
    case 'outside':
      return t('These files change only if you check their boxes.');
    case 'sensitive':
      return t('These files can start programs, or hold keys and settings. They change only if you check their boxes.');
    case 'changing':
    case 'left':
      return null;
  }
}

interface FileRowProps {
  readonly file: ListedFile;
  /** By the Tab key; the arrow keys reach all others from there. */
  readonly isFocusable: boolean;
  /** The page shows the diff of the focusable file. */
  readonly hasDiff: boolean;
  readonly isUnsaved: boolean;
}

function FileRow({ file, isFocusable, hasDiff, isUnsaved }: FileRowProps): JSX.Element {
  const { choice, formats, view, t } = useApp();
  const { path, group, change, facts, why } = file;
  const isFixed = group === 'left';
  const isShown = isFocusable && hasDiff;
  const isChecked = choice.isChecked(file);
  const toggle = (): void => {
    if (!isFixed && view.peek().busy === null) choice.check([file], !isChecked);
  };
  const said = [facts, isUnsaved ? t('not saved') : ''].filter((each) => each !== '').join(' · ');
  return (
    <li>
      <div
        role="checkbox"
        class={isShown ? 'file is-shown' : 'file'}
        aria-checked={isChecked}
        aria-disabled={isFixed}
        aria-current={isShown}
        tabIndex={isFocusable ? 0 : -1}
        title={path}
        onFocus={() => {
          choice.show(path);
        }}
        onClick={(event) => {
          const isOnBox = event.target instanceof Element && event.target.closest('.box-area') !== null;
          // A press by assistive technology, which knows one checkbox only, is no click of a pointer.
          if (isOnBox || event.detail === 0) toggle();
          event.currentTarget.focus();
        }}
        onKeyDown={(event) => {
          if (event.key !== ' ') return;
          event.preventDefault();
          toggle();
        }}
      >
        <span class="box-area">
          <span class={isFixed ? 'box is-fixed' : isChecked ? 'box is-checked' : 'box'} />
        </span>
        {change !== null && (
          <span class={`sign is-${change}`} aria-hidden="true">
            {SIGNS[change]}
          </span>
        )}
        <span class="file-text">
          <FileName file={file} />
          {said !== '' && <span class="file-facts">{said}</span>}
          {why !== null && (
            <span class="file-why">
              <VisibleText text={why} />
            </span>
          )}
        </span>
        <LineCounts {...file} formats={formats} />
      </div>
    </li>
  );
}

/** As VS Code marks files that were modified, added and deleted. */
const SIGNS = { restore: 'M', create: 'A', delete: 'D' } as const;

/** The name before its folder. A file that has to be named by the person shows its whole path. */
function FileName({ file: { name, group } }: { file: ListedFile }): JSX.Element {
  const at = Math.max(name.lastIndexOf('/'), name.lastIndexOf('\\'));
  if (group === 'outside' || group === 'sensitive' || at <= 0) {
    return (
      <bdi class="file-name is-whole">
        <VisibleText text={name} />
      </bdi>
    );
  }
  return (
    <span class="file-name">
      <bdi class="file-base">
        <VisibleText text={name.slice(at + 1)} />
      </bdi>{' '}
      <bdi class="file-folder">
        <VisibleText text={name.slice(0, at)} />
      </bdi>
    </span>
  );
}

interface LineCountsProps {
  /** Lines. */
  readonly insertions: number;
  readonly deletions: number;
  readonly formats: Formats;
}

/** Lines in the usual notation: +12 −5. Null if there are none. */
export function LineCounts({ insertions, deletions, formats }: LineCountsProps): JSX.Element | null {
  if (insertions + deletions === 0) return null;
  return (
    <span class="line-counts">
      {insertions > 0 && <span class="is-added">{`+${formats.number(insertions)}`}</span>}
      {insertions > 0 && deletions > 0 && ' '}
      {deletions > 0 && <span class="is-removed">{`−${formats.number(deletions)}`}</span>}
    </span>
  );
}
