/** Of the documents that show what a repair would change; a menu in package.json asks for it. */
export const REPAIR_PREVIEW_SCHEME = 'rethread-repair';

/** Of the documents that show one row of a transcript. */
export const ROW_SCHEME = 'rethread-row';

/** Of the documents that show a file before or after an edit of Claude's. */
export const EDIT_SCHEME = 'rethread-edit';

/** Of the documents that show what a rewind would do; a menu in package.json asks for it. */
export const REWIND_PREVIEW_SCHEME = 'rethread-rewind';

/** Of the documents that show settings as they would be with the hook for checkpoints, or without it. */
export const HOOK_PREVIEW_SCHEME = 'rethread-hook';
