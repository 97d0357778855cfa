// Written by console/build.mjs.
pub(crate) const FILES: &[ConsoleFile] = &[
    ConsoleFile {
        path: "assets/chunk-2TWILLSZ.js",
        content_type: "text/javascript; charset=utf-8",
        is_immutable: true,
        bytes: include_bytes!("assets/chunk-2TWILLSZ.js"),
    },
    ConsoleFile {
        path: "assets/chunk-BFJYKHBL.js",
        content_type: "text/javascript; charset=utf-8",
        is_immutable: true,
        bytes: include_bytes!("assets/chunk-BFJYKHBL.js"),
    },
    ConsoleFile {
        path: "assets/chunk-UBFYR3KN.js",
        content_type: "text/javascript; charset=utf-8",
        is_immutable: true,
        bytes: include_bytes!("assets/chunk-UBFYR3KN.js"),
    },
    ConsoleFile {
        path: "assets/favicon-DKPJWEXH.svg",
        content_type: "image/svg+xml",
        is_immutable: true,
        bytes: include_bytes!("assets/favicon-DKPJWEXH.svg"),
    },
    ConsoleFile {
        path: "assets/main-QGP3FLKU.js",
        content_type: "text/javascript; charset=utf-8",
        is_immutable: true,
        bytes: include_bytes!("assets/main-QGP3FLKU.js"),
    },
    ConsoleFile {
        path: "assets/main-UEPW3MWW.css",
        content_type: "text/css; charset=utf-8",
        is_immutable: true,
        bytes: include_bytes!("assets/main-UEPW3MWW.css"),
    },
    ConsoleFile {
        path: "assets/page-576GKFA7.js",
        content_type: "text/javascript; charset=utf-8",
        is_immutable: true,
        bytes: include_bytes!("assets/page-576GKFA7.js"),
    },
    ConsoleFile {
        path: "assets/page-AFEBTZDT.js",
        content_type: "text/javascript; charset=utf-8",
        is_immutable: true,
        bytes: include_bytes!("assets/page-AFEBTZDT.js"),
    },
    ConsoleFile {
        path: "assets/page-II7E5EID.js",
        content_type: "text/javascript; charset=utf-8",
        is_immutable: true,
        bytes: include_bytes!("assets/page-II7E5EID.js"),
    },
    ConsoleFile {
        path: "assets/page-IYDI42O7.js",
        content_type: "text/javascript; charset=utf-8",
        is_immutable: true,
        bytes: include_bytes!("assets/page-IYDI42O7.js"),
    },
    ConsoleFile {
        path: "assets/page-SZB64UUT.js",
        content_type: "text/javascript; charset=utf-8",
        is_immutable: true,
        bytes: include_bytes!("assets/page-SZB64UUT.js"),
    },
    ConsoleFile {
        path: "assets/page-VNRXKAAJ.js",
        content_type: "text/javascript; charset=utf-8",
        is_immutable: true,
        bytes: include_bytes!("assets/page-VNRXKAAJ.js"),
    },
    ConsoleFile {
        path: "assets/sentiment-chart-YBB5OSKC.js",
        content_type: "text/javascript; charset=utf-8",
        is_immutable: true,
        bytes: include_bytes!("assets/sentiment-chart-YBB5OSKC.js"),
    },
    ConsoleFile {
        path: "index.html",
        content_type: "text/html; charset=utf-8",
        is_immutable: false,
        bytes: include_bytes!("index.html"),
    },
];
