use super::*;
use crate::words::tokens;

fn dates(text: &str) -> Vec<&str> {
    find(&tokens(text, 0..text.len())).into_iter().map(|found| &text[found.range]).collect()
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
    assert!(dates("The annual plan for five days or two people.").is_empty());
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
