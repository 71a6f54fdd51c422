/** Of the documents that show what a repair would change; a menu in package.json asks for it. */
export const REPAIR_PREVIEW_SCHEME = 'rethread-repair';
