use super::*;
use crate::words::tokens;

fn dates(text: &str) -> Vec<&str> {
    find(text, &tokens(text, 0..text.len())).into_iter().map(|found| &text[found.range]).collect()
}

#[test]
fn quarters_and_fiscal_years_are_dates() {
    assert_eq!(
        dates("In the third quarter fiscal 2020, and in Q2 of 2021."),
        ["third quarter fiscal 2020", "Q2 of 2021"]
    );
    assert_eq!(
        dates("For fiscal year 2020 and FY21 and full year 2022."),
        ["fiscal year 2020", "FY21", "full year 2022"]
    );
    assert_eq!(
        dates("The first half of the year, the last nine months."),
        ["first half of the year", "last nine months"]
    );
    assert_eq!(dates("Sales grew year over year and year-to-date."), ["year over year", "year-to-date"]);
}

#[test]
fn a_period_has_all_its_words() {
    assert_eq!(
        dates("It was lower in the prior year period than in the comparable prior year quarter."),
        ["prior year period", "comparable prior year quarter"]
    );
    assert_eq!(
        dates("The first and second quarter of 2016, the following two quarters, our third quarter."),
        ["first and second quarter of 2016", "following two quarters", "our third quarter"]
    );
    assert_eq!(
        dates("The past few weeks of April, and the same period of 2019."),
        ["past few weeks of April", "same period of 2019"]
    );
}

#[test]
fn rhythms_and_lengths_are_dates() {
    assert_eq!(
        dates("The daily report shows a three year plan at year end, for three or four years."),
        ["daily", "three year", "year end", "three or four years"]
    );
    assert_eq!(dates("The annual plan for five days or two people."), ["annual"]);
    assert_eq!(dates("We ask every quarter, everyday people and every other one."), ["every quarter"]);
    assert_eq!(dates("Our fifth annual and 12th annual meetings, a semi-annual report."), ["semi-annual"]);
}

#[test]
fn parts_of_years_and_ranges_are_one_date() {
    assert_eq!(
        dates("By the end of 2022, in the year 2023, and from 2018 to 2022."),
        ["end of 2022", "year 2023", "2018 to 2022"]
    );
}

#[test]
fn other_ordinals_and_halves_are_not() {
    assert!(dates("The second question is about half of it. This half, next person, a full day.").is_empty());
    assert!(dates("The first period of the game, the second and last question of mine.").is_empty());
}

#[test]
fn years_of_a_list_are_dates() {
    assert_eq!(dates("In 2020, 2021, and 2022."), ["2020", "2021", "2022"]);
    assert_eq!(dates("We hit 2021 soon, with notes due 2022."), ["2021", "2022"]);
}

#[test]
fn a_year_before_a_noun_is_a_date_after_a_determiner() {
    assert_eq!(dates("We refinance our 2021 bonds at the 2019 level."), ["2021", "2019"]);
    assert!(dates("The 2000 people paid our 1950 dollars.").is_empty());
}

#[test]
fn a_year_follows_a_preposition_and_precedes_no_noun() {
    assert_eq!(dates("We see growth into 2021, and from 2018 and 2019 on."), ["2021", "2018", "2019"]);
    assert!(dates("About 2020 people came, of 2000 invited; it costs 2019.").is_empty());
}

#[test]
fn parts_and_counts_of_periods_are_dates() {
    for date in [
        "early next year",
        "mid-2021",
        "late 2019",
        "next three to five years",
        "last couple of quarters",
        "first nine months of 2019",
        "past 12 months",
        "fourth quarter of fiscal 2020",
        "year-end 2020",
        "month over month",
        "Q4 '19",
        "prior year period",
    ] {
        assert_eq!(dates(&format!("We saw it over the {date}, as planned.")).last(), Some(&date), "{date}");
    }
    assert_eq!(dates("We saw growth in quarter two, as planned."), ["quarter two"]);
    assert!(dates("We got up early in the morning for a quarter two people had.").is_empty());
}

/// Each date is found with exactly these words, in the middle of a sentence.
fn each_is_a_date(all: &[&str]) {
    for date in all {
        assert_eq!(dates(&format!("We saw it over the {date}, as planned.")).last(), Some(date));
    }
}

#[test]
fn quarters_have_many_forms() {
    each_is_a_date(&[
        "3Q20",
        "1H 2021",
        "Q2 20",
        "Q1 of next year",
        "Q4 last year",
        "fiscal Q3",
        "fiscal fourth quarter",
        "second fiscal quarter of 2021",
        "2020 third quarter",
        "this 2020 third quarter",
        "last year's second quarter",
        "prior year third quarter",
        "December quarter",
        "year-ago quarter",
        "trailing 12 months",
        "trailing 12 month period",
    ]);
    assert_eq!(dates("It takes 2h, or a trailing 12 month figure, or 5q."), ["12 month"]);
    assert_eq!(dates("As we said in year three post closing."), ["year three"]);
}

#[test]
fn a_part_has_what_it_is_a_part_of() {
    each_is_a_date(&[
        "end of Q2",
        "beginning of the third quarter",
        "end of July",
        "end of this fiscal year",
        "first month of the quarter",
        "last two weeks of Q3",
        "latter half of 2020",
        "second half of Q4, 2020",
        "second quarter of 21",
        "second quarter to date",
        "mid-to-late 2021",
        "late Q3",
        "later in the quarter",
        "earlier this month",
        "winter this year",
        "spring of 2020",
    ]);
    assert_eq!(
        dates("For the 12 weeks ended October 3, 2020 and the quarter ended June 30th, it grew."),
        ["12 weeks ended October 3, 2020", "quarter ended June 30th"]
    );
}

#[test]
fn lengths_have_the_words_around_them() {
    for date in [
        "multi-year",
        "few quarters",
        "couple of years ago",
        "number of months",
        "year or two ago",
        "month or so",
        "two and a half years ago",
        "two years from now",
    ] {
        assert_eq!(dates(&format!("It went on for a {date}, as planned.")), [date]);
    }
    assert_eq!(
        dates("It went on for over a decade, and for more than 25 years."),
        ["over a decade", "more than 25 years"]
    );
    assert!(dates("He took over a year ago.").is_empty());
    assert!(dates("The number of months is a matter of days.").len() == 1);
}

#[test]
fn months_with_years_and_other_months_are_one_date() {
    each_is_a_date(&["June, 2019", "April to June", "May, June and July", "January's 2020"]);
    assert_eq!(
        dates("Between 2018 and 2022 it grew, and between March and May 2020."),
        ["Between 2018 and 2022", "between March and May"]
    );
    assert!(dates("It may - may fall.").is_empty());
    assert_eq!(dates("After Easter, on Labor Day."), ["Easter", "Labor Day"]);
}

#[test]
fn a_number_is_a_year_if_it_counts_nothing() {
    assert_eq!(
        dates("A 2015 baseline, a roadmap 2022, and we enter 2021 with it."),
        ["2015", "2022", "2021"]
    );
    assert_eq!(
        dates("The '21 plan, and off '19 or the '90s, and the 1980s."),
        ["'21", "'19", "'90s", "1980s"]
    );
    for text in [
        "A NextSeq 2020 has 2020 units.",
        "In room 2015, $2020, 2020:1.",
        "He said '20 people came'.",
        "A full 20.",
    ] {
        assert!(dates(text).is_empty(), "{text}");
    }
}

#[test]
fn a_date_has_no_possessive() {
    assert_eq!(dates("It is in this quarter's results, and the year’s."), ["this quarter", "the year"]);
    assert!(dates("The quarter mile is the year of the rat.").is_empty());
}
