import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import type { ListedFile, NoteGroup, NoteLine, NoteTarget } from '../../protocol/channels/rewindView';
import { VisibleText } from '../blocks/parts/VisibleText';
import { Icon } from '../ui/Icon';
import type { Formats, Translate } from '../ui/texts';
import { useApp } from './rewindApp';

/** So many lines are shown at once; of more, only the headings with what explains them. */
const MAX_UNASKED_NOTES = 4;
/** Longer lists of one kind are truncated: nobody reads hundreds of commands. */
const MAX_NOTES = 50;

interface NotRestoredProps {
  readonly groups: readonly NoteGroup[];
  /** Those of the plan. */
  readonly files: readonly ListedFile[];
}

/** What a rewind of the chosen files does not bring back, by kind. Each line leads to what it is about. */
export function NotRestored(props: NotRestoredProps): JSX.Element | null {
  const { choice, formats, t } = useApp();
  const chosen = new Set(choice.chosen(props.files).map(({ path }) => path));
  const groups = props.groups.flatMap((group) => {
    const notes = group.notes.flatMap((note) => ofChosen(note, chosen, formats, t) ?? []);
    if (notes.length === 0) return [];
    return [{ ...group, notes: group.explanation === null ? allFilesFirst(notes) : notes }];
  });
  const count = groups.reduce((sum, { notes }) => sum + notes.length, 0);
  const isLong = count > MAX_UNASKED_NOTES;
  const [isAsked, setAsked] = useState(false);
  if (groups.length === 0) return null;
  const isOpen = !isLong || isAsked;
  return (
    <section class="not-restored" aria-labelledby="not-restored">
      <div class="not-restored-head">
        <Icon name="warning" />
        <h2 id="not-restored">{t('Not covered by checkpoints')}</h2>
        {isLong && (
          <button
            type="button"
            class="text-button"
            aria-expanded={isOpen}
            onClick={() => {
              setAsked(!isAsked);
            }}
          >
            {isOpen ? t('Show less') : t('Show all ({0})', formats.number(count))}
          </button>
        )}
      </div>
      <div class="not-restored-groups">
        {groups.map((group) => (
          <Group key={group.heading} group={group} isOpen={isOpen} />
        ))}
      </div>
    </section>
  );
}

function Group({ group, isOpen }: { group: NoteGroup; isOpen: boolean }): JSX.Element {
  const { formats, t } = useApp();
  const { heading, explanation, notes } = group;
  // Without an explanation, the heading alone would say nothing.
  const unasked = explanation === null ? Math.max(1, notes.filter(isOfAllFiles).length) : 0;
  const shown = isOpen ? MAX_NOTES : unasked;
  return (
    <div class="note-group">
      <h3>{t('{0} ({1})', heading, formats.number(notes.length))}</h3>
      {explanation !== null && <p>{explanation}</p>}
      {shown > 0 && (
        <ul>
          {notes.slice(0, shown).map(({ words, target }, at) => (
            <li key={at}>
              <Note words={words} target={target} />
            </li>
          ))}
          {isOpen && notes.length > shown && <li>{t('{0} more', formats.number(notes.length - shown))}</li>}
        </ul>
      )}
    </div>
  );
}

/** What is said of all files, such as that their copies are late, matters more than what is said of one. */
function allFilesFirst(notes: readonly NoteLine[]): readonly NoteLine[] {
  return [...notes.filter(isOfAllFiles), ...notes.filter((note) => !isOfAllFiles(note))];
}

/** What is said of one file, or of a message, leads there. */
function isOfAllFiles({ target }: NoteLine): boolean {
  return target === null;
}

/** What is said of a rewind of the chosen files alone; null if that is nothing. */
function ofChosen(note: NoteLine, chosen: ReadonlySet<string>, formats: Formats, t: Translate): NoteLine | null {
  if (note.lateCopies === undefined) return note.onlyWith === undefined || chosen.has(note.onlyWith) ? note : null;
  const count = note.lateCopies.filter((path) => chosen.has(path)).length;
  if (count === 0) return null;
  const words =
    count === 1
      ? t('The copy of 1 file was written later than the transcript says: it may not be what the file was.')
      : t(
          'The copies of {0} files were written later than the transcript says: they may not be what the files were.',
          formats.number(count),
        );
  return { ...note, words };
}

function Note({ words, target }: { words: string; target: NoteTarget | null }): JSX.Element {
  const { act, t } = useApp();
  if (target === null) return <VisibleText text={words} />;
  const open = (): void => {
    if (target.kind === 'message') act({ kind: 'showMessage', line: target.line });
    else act({ kind: 'openFile', path: target.path });
  };
  const title = target.kind === 'message' ? t('Show in the conversation') : t('Open File');
  return (
    <button type="button" class="note-link" title={title} onClick={open}>
      <VisibleText text={words} />
    </button>
  );
}
