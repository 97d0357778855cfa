// Written by console/build.mjs.
pub(crate) const FILES: &[ConsoleFile] = &[
    ConsoleFile {
        path: "assets/main-T4EC5YJL.css",
        content_type: "text/css; charset=utf-8",
        is_immutable: true,
        bytes: include_bytes!("assets/main-T4EC5YJL.css"),
    },
    ConsoleFile {
        path: "assets/main-VL7SVN7G.js",
        content_type: "text/javascript; charset=utf-8",
        is_immutable: true,
        bytes: include_bytes!("assets/main-VL7SVN7G.js"),
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
