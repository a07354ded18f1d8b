// Types that no package of Debian and PyPI has: of CodeMirror those that the entry names, and those
// that React's own types need.

declare module "@codemirror/state" {
    export type Extension = { extension: Extension } | readonly Extension[];
}

declare module "csstype" {
    export interface Properties<Length = string | 0, Time = string> {
        [name: string]: Length | Time | undefined;
    }
}

declare module "prop-types" {
    export interface Validator<T> { (properties: object): T | null }
    export interface Requireable<T> extends Validator<T | null | undefined> {
        isRequired: Validator<T>;
    }
    export type ValidationMap<T> = { [Name in keyof T]?: Validator<T[Name]> };
    export type ReactElementLike = unknown;
    export type ReactNodeLike = unknown;
    export type WeakValidationMap<T> = ValidationMap<T>;
    export type InferProps<V> = { [Name in keyof V]: unknown };
    export const any: unknown,
        array: unknown,
        bool: unknown,
        func: unknown,
        number: unknown,
        object: unknown,
        string: unknown,
        node: unknown,
        element: unknown,
        instanceOf: unknown,
        oneOf: unknown,
        oneOfType: unknown,
        arrayOf: unknown,
        objectOf: unknown,
        shape: unknown,
        exact: unknown;
}
