/** Types of the package for `import`: the same as for `require`. */
export * from './client.cjs';
