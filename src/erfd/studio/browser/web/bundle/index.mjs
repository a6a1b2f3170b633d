// What the studio needs of CodeMirror and uPlot, and nothing else.
export {
  acceptCompletion, autocompletion, closeBrackets, closeBracketsKeymap, completionKeymap, startCompletion,
} from "@codemirror/autocomplete";
export { defaultKeymap, history, historyKeymap, indentWithTab } from "@codemirror/commands";
export {
  HighlightStyle, StreamLanguage, bracketMatching, foldGutter, indentOnInput, indentUnit, syntaxHighlighting,
} from "@codemirror/language";
export { lintGutter, lintKeymap, setDiagnostics, nextDiagnostic } from "@codemirror/lint";
export { highlightSelectionMatches, search, searchKeymap } from "@codemirror/search";
export { Compartment, EditorState, EditorSelection, StateEffect, StateField } from "@codemirror/state";
export {
  Decoration, EditorView, drawSelection, highlightActiveLine, highlightActiveLineGutter, keymap, lineNumbers,
  GutterMarker, gutterLineClass,
} from "@codemirror/view";
export { tags } from "@lezer/highlight";
export { default as uPlot } from "uplot";
