// A stylesheet of a component; the build adds it to the bundle's stylesheet.
declare module '*.css';
