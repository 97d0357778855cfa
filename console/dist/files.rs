// Written by console/build.mjs.
pub(crate) const FILES: &[ConsoleFile] = &[
    ConsoleFile {
        path: "assets/main-EKZF2A2V.js",
        content_type: "text/javascript; charset=utf-8",
        is_immutable: true,
        bytes: include_bytes!("assets/main-EKZF2A2V.js"),
    },
    ConsoleFile {
        path: "assets/main-O4MODA5O.css",
        content_type: "text/css; charset=utf-8",
        is_immutable: true,
        bytes: include_bytes!("assets/main-O4MODA5O.css"),
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
