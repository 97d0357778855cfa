use super::*;

fn bytes_tensor(shape: &[usize], numbers: &[u8], element: ElementType) -> Tensor {
    Tensor::new(shape.to_vec(), element, FileBytes::from_memory(numbers.to_vec())).unwrap()
}

fn float_tensor(shape: &[usize], floats: &[f32]) -> Tensor {
    let bytes: Vec<u8> = floats.iter().flat_map(|float| float.to_le_bytes()).collect();
    bytes_tensor(shape, &bytes, ElementType::F32)
}

fn quantized(matrix: &Matrix) -> IntegerRows {
    let mut rows = IntegerRows::default();
    matrix.quantize(0..1, &mut rows);
    matrix.quantize(1..matrix.outputs(), &mut rows);
    rows
}

#[test]
fn rows_columns_and_windows_give_a_row_per_output() {
    let numbers = [1.0, 2.0, 3.0, 4.0, 5.0, 6.0];
    let rows = Matrix::from_rows(float_tensor(&[2, 3], &numbers)).unwrap();
    assert_eq!((rows.outputs(), rows.inputs()), (2, 3));
    assert_eq!(rows.floats(), numbers);
    let columns = Matrix::from_columns(float_tensor(&[3, 2], &numbers)).unwrap();
    assert_eq!((columns.outputs(), columns.inputs()), (2, 3));
    assert_eq!(columns.floats(), [1.0, 3.0, 5.0, 2.0, 4.0, 6.0]);
    let windows = Matrix::from_rows(float_tensor(&[1, 2, 3], &numbers)).unwrap();
    assert_eq!(windows.floats(), [1.0, 4.0, 2.0, 5.0, 3.0, 6.0]);
}

#[test]
fn integers_that_fit_stay_as_they_are() {
    let tensor = bytes_tensor(&[2, 2], &[128, 1, 255, 130], ElementType::U8);
    let matrix = Matrix::from_columns(tensor).unwrap().with_zero_points(vec![128], vec![0.5]).unwrap();
    let rows = quantized(&matrix);
    assert_eq!(rows.integers, [0, 127, -127, 2]);
    assert_eq!(rows.scales, [0.5, 0.5]);
    assert_eq!(matrix.floats(), [0.0, 63.5, -63.5, 1.0]);
}

#[test]
fn a_row_that_does_not_fit_gets_a_larger_scale_and_the_others_do_not() {
    let tensor = bytes_tensor(&[2, 2], &[0, 255, 90, 100], ElementType::U8);
    let matrix = Matrix::from_rows(tensor).unwrap().with_zero_points(vec![1], vec![1.0]).unwrap();
    let rows = quantized(&matrix);
    assert_eq!(rows.integers, [-1, 127, 89, 99]);
    assert_eq!(rows.scales, [2.0, 1.0]);
}

#[test]
fn scales_per_output_are_used() {
    let tensor = bytes_tensor(&[2, 2], &[1, 2, 0xFF, 4], ElementType::I8);
    let matrix = Matrix::from_rows(tensor).unwrap().with_zero_points(vec![0, 1], vec![1.0, 3.0]).unwrap();
    assert_eq!(matrix.floats(), [1.0, 2.0, -6.0, 9.0]);
    assert_eq!(quantized(&matrix).integers, [1, 2, -2, 3]);
    assert_eq!(quantized(&matrix).scales, [1.0, 3.0]);
}

#[test]
fn shifted_integers_are_quantized_anew() {
    let tensor = bytes_tensor(&[2, 2], &[10, 20, 0, 0xFE], ElementType::I8);
    let matrix = Matrix::from_rows(tensor).unwrap().with_shift(0.5, 1.0);
    assert_eq!(matrix.floats(), [6.0, 11.0, 1.0, 0.0]);
    assert_eq!(quantized(&matrix).integers, [69, 127, 127, 0]);
}

#[test]
fn each_row_of_floats_uses_all_of_its_integers() {
    let matrix = Matrix::from_rows(float_tensor(&[3, 2], &[1.0, -0.5, 0.0, 0.0, 1e-3, 2e-3])).unwrap();
    let rows = quantized(&matrix);
    assert_eq!(rows.integers, [127, -64, 0, 0, 64, 127]);
    assert!((rows.scales[2] * 127.0 - 2e-3).abs() < 1e-9);
}

#[test]
fn what_is_not_a_matrix_is_refused() {
    assert!(Matrix::from_rows(float_tensor(&[6], &[0.0; 6])).is_err());
    assert!(Matrix::from_rows(float_tensor(&[0, 6], &[])).is_err());
    assert!(Matrix::from_columns(float_tensor(&[1, 2, 3], &[0.0; 6])).is_err());
    let tensor = bytes_tensor(&[2, 2], &[0; 4], ElementType::U8);
    assert!(Matrix::from_rows(tensor).unwrap().with_zero_points(vec![0; 3], vec![1.0]).is_err());
}
