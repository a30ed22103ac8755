declare module 'idiomorph' {
  interface Callbacks {
    beforeNodeAdded?(node: Node): boolean | void;
    beforeNodeMorphed?(old: Node, now: Node): boolean | void;
    beforeNodeRemoved?(node: Node): boolean | void;
    beforeAttributeUpdated?(name: string, node: Element, change: 'update' | 'remove'): boolean | void;
  }
  export const Idiomorph: {
    morph(old: Element, now: Element, options: { morphStyle: 'outerHTML' | 'innerHTML'; callbacks: Callbacks }): void;
  };
}
