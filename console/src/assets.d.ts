// Stylesheets are part of the bundle; importing one gives no value.
declare module '*.css';
