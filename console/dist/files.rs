// Written by console/build.mjs.
pub(crate) const FILES: &[ConsoleFile] = &[
    ConsoleFile {
        path: "assets/chunk-36V76PES.js",
        content_type: "text/javascript; charset=utf-8",
        is_immutable: true,
        bytes: include_bytes!("assets/chunk-36V76PES.js"),
    },
    ConsoleFile {
        path: "assets/chunk-BFJYKHBL.js",
        content_type: "text/javascript; charset=utf-8",
        is_immutable: true,
        bytes: include_bytes!("assets/chunk-BFJYKHBL.js"),
    },
    ConsoleFile {
        path: "assets/chunk-XZHXWVGG.js",
        content_type: "text/javascript; charset=utf-8",
        is_immutable: true,
        bytes: include_bytes!("assets/chunk-XZHXWVGG.js"),
    },
    ConsoleFile {
        path: "assets/favicon-DKPJWEXH.svg",
        content_type: "image/svg+xml",
        is_immutable: true,
        bytes: include_bytes!("assets/favicon-DKPJWEXH.svg"),
    },
    ConsoleFile {
        path: "assets/main-CSA3GQ6A.js",
        content_type: "text/javascript; charset=utf-8",
        is_immutable: true,
        bytes: include_bytes!("assets/main-CSA3GQ6A.js"),
    },
    ConsoleFile {
        path: "assets/main-UEPW3MWW.css",
        content_type: "text/css; charset=utf-8",
        is_immutable: true,
        bytes: include_bytes!("assets/main-UEPW3MWW.css"),
    },
    ConsoleFile {
        path: "assets/page-FQPUHCYW.js",
        content_type: "text/javascript; charset=utf-8",
        is_immutable: true,
        bytes: include_bytes!("assets/page-FQPUHCYW.js"),
    },
    ConsoleFile {
        path: "assets/page-GLOBW7MH.js",
        content_type: "text/javascript; charset=utf-8",
        is_immutable: true,
        bytes: include_bytes!("assets/page-GLOBW7MH.js"),
    },
    ConsoleFile {
        path: "assets/page-JC345SZZ.js",
        content_type: "text/javascript; charset=utf-8",
        is_immutable: true,
        bytes: include_bytes!("assets/page-JC345SZZ.js"),
    },
    ConsoleFile {
        path: "assets/page-OPDLFGWV.js",
        content_type: "text/javascript; charset=utf-8",
        is_immutable: true,
        bytes: include_bytes!("assets/page-OPDLFGWV.js"),
    },
    ConsoleFile {
        path: "assets/page-TBTQA4WN.js",
        content_type: "text/javascript; charset=utf-8",
        is_immutable: true,
        bytes: include_bytes!("assets/page-TBTQA4WN.js"),
    },
    ConsoleFile {
        path: "assets/page-YLGVPH4E.js",
        content_type: "text/javascript; charset=utf-8",
        is_immutable: true,
        bytes: include_bytes!("assets/page-YLGVPH4E.js"),
    },
    ConsoleFile {
        path: "assets/sentiment-chart-ZFKZ4LWE.js",
        content_type: "text/javascript; charset=utf-8",
        is_immutable: true,
        bytes: include_bytes!("assets/sentiment-chart-ZFKZ4LWE.js"),
    },
    ConsoleFile {
        path: "index.html",
        content_type: "text/html; charset=utf-8",
        is_immutable: false,
        bytes: include_bytes!("index.html"),
    },
];
