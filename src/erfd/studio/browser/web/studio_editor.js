// The program editor: CodeMirror with L-IRL colours, marks, completion, and the line that runs.

import { clock } from "erfd-studio";
import * as V from "erfd-vendor";

const { Decoration, EditorState, EditorView, StateEffect, StateField, StreamLanguage, tags } = V;

const DRAFT = "erfd-draft";
const PIECE = 100000; // characters of one message; the server takes a million bytes at once

// null where that cannot be done: no room, not allowed, or what is there is somebody else's
function inStorage(act) {
  try {
    return act(localStorage);
  } catch {
    return null;
  }
}

const setLine = StateEffect.define();
const running = StateField.define({
  create: () => Decoration.none,
  update(marks, transaction) {
    let found = marks.map(transaction.changes);
    for (const effect of transaction.effects) {
      if (!effect.is(setLine)) continue;
      const { doc } = transaction.state;
      const number = effect.value;
      const good = number >= 1 && number <= doc.lines;
      found = good
        ? Decoration.set([Decoration.line({ class: "cm-running" }).range(doc.line(number).from)])
        : Decoration.none;
    }
    return found;
  },
  provide: (field) => EditorView.decorations.from(field),
});

// what the words of a kind are to the colours, and in the list of completions
const TOKENS = {
  types: "typeName",
  functions: "function",
  keywords: "keyword",
  moves: "moveWord",
  settings: "setting",
  constants: "atom",
};
const COMPLETIONS = { types: "type", functions: "function", settings: "property" };

function language(words) {
  const kinds = new Map();
  for (const [kind, list] of Object.entries(words ?? {})) {
    for (const word of list) kinds.set(word.toLowerCase(), kind);
  }
  return StreamLanguage.define({
    startState: () => ({ comment: false }),
    token(stream, state) {
      if (state.comment || stream.eat("{")) {
        state.comment = !stream.skipTo("}");
        if (state.comment) stream.skipToEnd();
        else stream.next();
        return "comment";
      }
      if (stream.eatSpace()) return null;
      if (stream.match("//")) {
        stream.skipToEnd();
        return "comment";
      }
      if (stream.match(/^"[^"\n]*"?/) || stream.match(/^'[^'\n]*'?/)) return "string";
      if (stream.match(/^\d+(\.\d+)?([eE][+-]?\d+)?/)) return "number";
      const word = stream.match(/^[A-Za-z_][A-Za-z_0-9]*/);
      if (word) return TOKENS[kinds.get(word[0].toLowerCase())] ?? "variableName";
      stream.next();
      return null;
    },
    tokenTable: {
      moveWord: tags.controlKeyword,
      setting: tags.propertyName,
      function: tags.function(tags.variableName),
    },
    languageData: {
      commentTokens: { line: "//", block: { open: "{", close: "}" } },
      closeBrackets: { brackets: ["(", '"'] },
    },
  });
}

const look = V.HighlightStyle.define([
  { tag: tags.keyword, class: "ir-keyword" },
  { tag: tags.controlKeyword, class: "ir-move" },
  { tag: tags.typeName, class: "ir-type" },
  { tag: tags.propertyName, class: "ir-setting" },
  { tag: tags.function(tags.variableName), class: "ir-function" },
  { tag: tags.number, class: "ir-number" },
  { tag: tags.string, class: "ir-string" },
  { tag: tags.comment, class: "ir-comment" },
  { tag: tags.atom, class: "ir-number" },
]);

export default {
  template: `<div class="studio-editor"></div>`,
  props: {
    value: String,
    words: Object,
    names: Array,
    marks: Array,
    moves: Array,
    label: String,
    texts: Object,
    revision: Number,
  },
  emits: ["edited", "line", "verify", "save", "format"],

  mounted() {
    const complete = (context) => {
      const word = context.matchBefore(/[A-Za-z_][A-Za-z_0-9]*/);
      if (!word && !context.explicit) return null;
      const options = [];
      for (const [kind, list] of Object.entries(this.words ?? {})) {
        for (const label of list) options.push({ label, type: COMPLETIONS[kind] ?? "keyword" });
      }
      for (const label of this.names ?? []) options.push({ label, type: "variable", boost: 2 });
      return { from: word?.from ?? context.pos, options, validFor: /^[A-Za-z_0-9]*$/ };
    };
    const orders = { "Mod-Enter": "verify", "Mod-s": "save", "Shift-Alt-f": "format" };
    const keys = Object.entries(orders).map(([key, order]) => {
      const run = () => {
        this.flush();
        this.$emit(order);
        return true;
      };
      return { key, preventDefault: true, run };
    });
    const watch = EditorView.updateListener.of((update) => {
      if (update.docChanged && !this.quiet) this.changed();
    });
    const clicks = EditorView.domEventHandlers({
      click: (event, view) => {
        const at = view.posAtCoords({ x: event.clientX, y: event.clientY });
        if (at != null) this.$emit("line", view.state.doc.lineAt(at).number);
        return false;
      },
      // whoever presses a button has typed all that is there
      blur: () => {
        if (this.waiting) this.flush();
        return false;
      },
    });
    this.at = this.revision ?? 0;
    this.view = new EditorView({
      parent: this.$el,
      state: EditorState.create({
        doc: this.value ?? "",
        extensions: [
          V.lineNumbers(),
          V.highlightActiveLineGutter(),
          V.history(),
          V.drawSelection(),
          V.indentOnInput(),
          V.bracketMatching(),
          V.closeBrackets(),
          V.highlightActiveLine(),
          V.highlightSelectionMatches(),
          V.search({ top: true }),
          V.lintGutter(),
          running,
          language(this.words),
          V.syntaxHighlighting(look),
          V.autocompletion({ override: [complete] }),
          V.indentUnit.of("  "),
          watch,
          clicks,
          EditorView.contentAttributes.of({
            "aria-label": this.label ?? "program",
            spellcheck: "false",
            tabindex: "0",
          }),
          V.keymap.of([
            ...keys,
            ...V.closeBracketsKeymap,
            ...V.completionKeymap,
            ...V.searchKeymap,
            ...V.lintKeymap,
            ...V.historyKeymap,
            ...V.defaultKeymap,
          ]),
        ],
      }),
    });
    this.showMarks();
    this.stop = clock.listen((c) => this.follow(c.t), { calm: true });
  },
  beforeUnmount() {
    this.stop();
    clearTimeout(this.waiting);
    this.view.destroy();
  },
  watch: {
    value(text) {
      if (text != null) this.setText(text);
    },
    marks: { deep: true, handler: "showMarks" },
    moves() {
      this.follow(clock.t);
    },
  },

  methods: {
    text() {
      return this.view.state.doc.toString();
    },
    changed() {
      clearTimeout(this.waiting);
      this.waiting = setTimeout(() => this.flush(), 250);
    },
    flush() {
      clearTimeout(this.waiting);
      this.waiting = null;
      const text = this.text();
      if (text === this.sent) return;
      this.sent = text;
      for (let at = 0; at === 0 || at < text.length; at += PIECE) {
        this.$emit("edited", { at, piece: text.slice(at, at + PIECE), whole: text.length, revision: this.at });
      }
      this.keepDraft(text);
    },
    // what is kept nowhere else stays in the browser, for the time when this page is gone
    keepDraft(text) {
      this.drafted = true; // another tab's is not ours to forget
      inStorage((storage) => storage.setItem(DRAFT, JSON.stringify({ text, setup: this.setup ?? null })));
    },
    // robot and surroundings belong to it
    keepSetup(setup) {
      this.setup = setup;
      if (this.drafted) this.keepDraft(this.text());
    },
    draft() {
      return inStorage((storage) => JSON.parse(storage.getItem(DRAFT)));
    },
    forgetDraft() {
      if (!this.drafted) return;
      this.drafted = false;
      inStorage((storage) => storage.removeItem(DRAFT));
    },
    // what was typed on the way to here is replaced: the server does not take it either
    setText(text, revision) {
      if (revision !== undefined) this.at = revision;
      clearTimeout(this.waiting);
      this.waiting = null;
      this.sent = text;
      if (text === this.text()) return;
      this.quiet = true;
      const old = this.text(); // only what differs is replaced: the cursor stays in its line
      const short = Math.min(old.length, text.length);
      let from = 0;
      while (from < short && old[from] === text[from]) from += 1;
      let same = 0;
      while (same < short - from && old[old.length - 1 - same] === text[text.length - 1 - same]) same += 1;
      const changes = { from, to: old.length - same, insert: text.slice(from, text.length - same) };
      this.view.dispatch({ changes });
      this.quiet = false;
    },
    // the line of the cursor, from 1; what was typed before it is told first
    cursorLine() {
      this.flush();
      return this.view.state.doc.lineAt(this.view.state.selection.main.head).number;
    },
    showMarks() {
      const { doc } = this.view.state;
      const marks = (this.marks ?? []).map(({ line, column, length, severity, message }) => {
        const place = doc.line(Math.min(Math.max(line, 1), doc.lines));
        const from = Math.min(place.from + Math.max(column - 1, 0), place.to);
        const word = /^[A-Za-z_0-9]+/.exec(doc.sliceString(from, place.to));
        const to = Math.min(from + (length || word?.[0].length || 1), place.to);
        return { from: to > from ? from : Math.max(place.from, from - 1), to, severity, message };
      });
      this.view.dispatch(V.setDiagnostics(this.view.state, marks));
    },
    reveal(number) {
      const { doc } = this.view.state;
      if (number < 1 || number > doc.lines) return;
      const { from } = doc.line(number);
      this.view.dispatch({ selection: { anchor: from }, effects: EditorView.scrollIntoView(from, { y: "center" }) });
    },
    follow(t) {
      const move = (this.moves ?? []).find(({ start, end }) => t >= start && t < end) ?? this.moves?.at(-1);
      const number = move?.line ?? 0;
      if (number === this.shown) return;
      this.shown = number;
      const effects = [setLine.of(number)];
      if (clock.playing && number >= 1 && number <= this.view.state.doc.lines) {
        effects.push(EditorView.scrollIntoView(this.view.state.doc.line(number).from, { y: "nearest" }));
      }
      this.view.dispatch({ effects });
    },
  },
};
