// Written by console/build.mjs.
pub(crate) const FILES: &[ConsoleFile] = &[
    ConsoleFile {
        path: "assets/main-3X3RB2WL.js",
        content_type: "text/javascript; charset=utf-8",
        is_immutable: true,
        bytes: include_bytes!("assets/main-3X3RB2WL.js"),
    },
    ConsoleFile {
        path: "assets/main-Z7SMVNCL.css",
        content_type: "text/css; charset=utf-8",
        is_immutable: true,
        bytes: include_bytes!("assets/main-Z7SMVNCL.css"),
    },
    ConsoleFile {
        path: "assets/uPlot.esm-ULJJVTMH.js",
        content_type: "text/javascript; charset=utf-8",
        is_immutable: true,
        bytes: include_bytes!("assets/uPlot.esm-ULJJVTMH.js"),
    },
    ConsoleFile {
        path: "index.html",
        content_type: "text/html; charset=utf-8",
        is_immutable: false,
        bytes: include_bytes!("index.html"),
    },
];
