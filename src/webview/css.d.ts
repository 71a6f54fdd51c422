// A stylesheet that a component is drawn with; the build puts it into the bundle's own.
declare module '*.css';
