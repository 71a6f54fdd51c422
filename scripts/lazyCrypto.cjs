// Takes the place of node:crypto in the program of the hook, which Claude waits for before each edit: loading that module takes
// some milliseconds, and is not needed if the file has not changed since its last copy.
exports.createHash = (...args) => require('crypto').createHash(...args);
exports.randomUUID = (...args) => require('crypto').randomUUID(...args);
