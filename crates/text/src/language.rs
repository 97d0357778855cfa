//! Which language a transcript is in, told cheaply: by its script, then by the small words that every text has.

use auris_engine_core::language_code::primary;
use auris_engine_core::text::TextTranscript;

/// So much of the text is looked at, in bytes.
const SAMPLE: usize = 20_000;
/// Fewer small words than this prove nothing.
const ENOUGH: usize = 4;

/// Small words that are frequent in one language and rare in the others.
const SMALL_WORDS: [(&str, &str); 12] = [
    (
        "en",
        "the and is are was were to of that this it you i we they have has not with for but what your my be do don't i'm it's that's he she there from can will would",
    ),
    (
        "de",
        "der die das und ist nicht ich wir sie ein eine mit auf für den dem des auch es aber wie war haben wird sich zu von kann",
    ),
    (
        "fr",
        "le la les et est pas je nous vous une des du dans pour que qui sur avec ce il elle mais c'est au sont été j'ai",
    ),
    (
        "es",
        "el la los las y es no una por para con que del se lo pero como más muy está esto fue soy yo usted",
    ),
    ("it", "il lo gli e è non una per con che di del della sono ma come più questo anche ho ci si mi"),
    ("pt", "o os as e é não uma por para com que do da dos em mas como mais muito está isso foi eu você"),
    ("nl", "de het een en is niet ik wij we zij van met voor op dat maar ook zijn was er naar je heb"),
    ("sv", "och är inte jag vi det att en ett som på med för av men har den var till om du"),
    ("da", "og er ikke jeg vi det at en et som på med for af men har den var til om du"),
    ("pl", "i w na z nie jest się to że do jak ale co po za tak już był ja my"),
    ("tr", "ve bir bu da de için çok ne ben biz o ile ama var yok mi değil gibi"),
    ("fi", "ja on ei se että oli hän minä me mutta kun niin tämä myös ovat ole"),
];

/// The language that the transcript is told to be in, else the one that it seems to be in; `None` where too little
/// is said to tell.
pub(crate) fn language_of(transcript: &TextTranscript) -> Option<String> {
    match transcript.language.as_deref().map(str::trim).filter(|told| !told.is_empty()) {
        Some(told) => Some(primary(told)),
        None => detect(&transcript.text).map(str::to_owned),
    }
}

fn detect(text: &str) -> Option<&'static str> {
    let mut limit = text.len().min(SAMPLE);
    while !text.is_char_boundary(limit) {
        limit -= 1;
    }
    let sample = text[..limit].to_lowercase();
    if let Some(language) = by_script(&sample) {
        return Some(language);
    }
    let words: Vec<&str> = sample
        .split(|letter: char| !letter.is_alphanumeric() && letter != '\'' && letter != '’')
        .filter(|word| !word.is_empty())
        .collect();
    let counted = SMALL_WORDS.map(|(language, small)| (count(&words, small), language));
    let (english, best) = (counted[0].0, counted.iter().max_by_key(|(hits, _)| *hits)?);
    // What shares its small words with another language is taken for English only where English is as likely.
    if best.0 < ENOUGH || best.0 == english { (english >= ENOUGH).then_some("en") } else { Some(best.1) }
}

fn count(words: &[&str], small: &str) -> usize {
    let small: std::collections::HashSet<&str> = small.split(' ').collect();
    words.iter().filter(|word| small.contains(*word)).count()
}

/// Whether a letter belongs to a script.
type Script = fn(char) -> bool;

/// The language that a script other than the Latin one stands for, as far as one can say.
fn by_script(sample: &str) -> Option<&'static str> {
    let letters: Vec<char> = sample.chars().filter(|letter| letter.is_alphabetic()).collect();
    let most = |is: Script| letters.iter().filter(|letter| is(**letter)).count() * 2 > letters.len();
    let scripts: [(&'static str, Script); 9] = [
        ("ru", |letter| matches!(letter, '\u{400}'..='\u{52f}')),
        ("el", |letter| matches!(letter, '\u{370}'..='\u{3ff}')),
        ("he", |letter| matches!(letter, '\u{590}'..='\u{5ff}')),
        ("ar", |letter| matches!(letter, '\u{600}'..='\u{6ff}')),
        ("hi", |letter| matches!(letter, '\u{900}'..='\u{97f}')),
        ("th", |letter| matches!(letter, '\u{e00}'..='\u{e7f}')),
        ("ja", |letter| matches!(letter, '\u{3040}'..='\u{30ff}')),
        ("ko", |letter| matches!(letter, '\u{ac00}'..='\u{d7af}')),
        ("zh", |letter| matches!(letter, '\u{3400}'..='\u{9fff}')),
    ];
    scripts.into_iter().find(|(_, is)| most(*is)).map(|(language, _)| language)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn small_words_tell_the_language() {
        let english =
            "So I told them that the order was not what we had asked for, and they said it is on its way.";
        let german = "Ich habe ihnen gesagt, dass die Bestellung nicht das ist, was wir wollten, und sie ist auf dem Weg.";
        let spanish =
            "Les dije que el pedido no era lo que habíamos pedido y que no está en camino por ahora.";
        assert_eq!([detect(english), detect(german), detect(spanish)], [Some("en"), Some("de"), Some("es")]);
    }

    #[test]
    fn another_script_is_told_at_once_and_a_short_text_tells_nothing() {
        assert_eq!(detect("Привет, это проверка."), Some("ru"));
        assert_eq!(detect("これはテストです"), Some("ja"));
        assert_eq!((detect("Hello?"), detect("")), (None, None));
    }

    #[test]
    fn what_the_transcript_says_of_itself_counts() {
        let transcript = TextTranscript {
            text: "the the the the".into(),
            language: Some("de-AT".into()),
            ..Default::default()
        };
        assert_eq!(language_of(&transcript).as_deref(), Some("de"));
    }
}
